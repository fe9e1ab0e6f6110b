/* Makes a context, and says why there is none. */
#include "@PREFIX@.h"
#include <stdio.h>

int main(void)
{
  struct @PREFIX@_context *context = NULL;
  const int status = @PREFIX@_context_create(&context);
  printf("%d %s\n", status, @PREFIX@_status_text(status));
  return @PREFIX@_context_destroy(context);
}
