! Contexts of two projects, whose modules declare no name twice.
program both
  use, intrinsic :: iso_c_binding, only: c_ptr, c_int
  use first
  use second
  implicit none
  type(c_ptr) :: one, two
  integer(c_int) :: status
  if (first_species /= second_species .or. first_h2o /= second_h2o) stop 1
  status = first_context_create(one)
  if (status /= second_context_create(two)) stop 2
  write(*, '(i0, 5(1x, a))') status, first_target, second_target, first_units, second_units, second_status_text(status)
  if (first_context_destroy(one) /= first_success .or. second_context_destroy(two) /= second_success) stop 3
end program
