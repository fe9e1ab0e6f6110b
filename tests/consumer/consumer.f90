! Makes a context, and says why there is none.
program consumer
  use, intrinsic :: iso_c_binding, only: c_ptr, c_int
  use @PREFIX@
  implicit none
  type(c_ptr) :: context
  integer(c_int) :: status
  status = @PREFIX@_context_create(context)
  write(*, '(i0, 1x, a)') status, @PREFIX@_status_text(status)
  if (@PREFIX@_context_destroy(context) /= @PREFIX@_success) stop 1
end program
