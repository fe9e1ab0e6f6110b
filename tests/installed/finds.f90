program finds
  use, intrinsic :: iso_c_binding
  use h2o2
  implicit none
  real(c_double), target :: t(1) = 1000, p(1) = 101325, x(1, h2o2_species) = 0, out(1)
  type(c_ptr) :: context
  x(1, h2o2_h2) = 1
  if (h2o2_context_create(context) /= h2o2_success) stop 1
  if (h2o2_viscosity_launch(context, c_loc(t), c_loc(p), c_loc(x), c_loc(out), 1_c_int, 1_c_int, c_null_ptr) &
    /= h2o2_success) stop 2
  print '(es10.4)', out(1)
  if (h2o2_context_destroy(context) /= h2o2_success) stop 3
end program
