/* Contexts of two projects, and what the preprocessor knows of them. */
#include "first.h"
#include "second.h"
#include <stdio.h>

#if FIRST_SPECIES_COUNT != SECOND_SPECIES_COUNT || FIRST_REACTION_COUNT != SECOND_REACTION_COUNT
#error "two projects of one mechanism"
#endif
#if FIRST_COMPUTE_CAPABILITY != 80 || SECOND_COMPUTE_CAPABILITY != 90 || !FIRST_UNITS_ARE_SI || SECOND_UNITS_ARE_SI
#error "made for other machines or units"
#endif

int main(void)
{
  struct first_context *one = NULL;
  struct second_context *two = NULL;
  const int status = first_context_create(&one);
  if (status != second_context_create(&two)) return 1;
  printf("%d %s %s %s %s %s\n", status, FIRST_TARGET, SECOND_TARGET, FIRST_UNITS, SECOND_UNITS, second_status_text(status));
  return first_context_destroy(one) + second_context_destroy(two);
}
