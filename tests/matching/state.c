#include "chem.h"
#include <stdio.h>
int main(void)
{
  struct chem_context *context = (struct chem_context *)1;
  const int status = chem_context_create(&context);
  printf("%d %d %s\n", status, context == 0, chem_status_text(status));
  return chem_context_destroy(context);
}
