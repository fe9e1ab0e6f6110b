! Makes a context, and says why there is none.
program consumer
  use, intrinsic :: iso_c_binding, only: c_ptr, c_int
  use @PREFIX@
  implicit none
  type(c_ptr) :: context
  integer(c_int) :: status
  status = @PREFIX@_context_create(context)
  write(*, '(i0)') status
  if (@PREFIX@_context_destroy(context) /= singe_success) stop 1
end program
