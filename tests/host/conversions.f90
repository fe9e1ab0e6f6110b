program conversions
  use, intrinsic :: iso_c_binding
  use h2o2
  implicit none
  real(c_double) :: y(2, h2o2_species_count), x(2, h2o2_species_count)
  integer :: p
  y = 0
  y(:, h2o2_h2) = 0.0285d0
  y(:, h2o2_o2) = 0.2264d0
  y(2, h2o2_n2) = 0.7451d0
  call h2o2_mole_from_mass(y, x)
  do p = 1, 2
    print '(3es24.15)', x(p, h2o2_h2), x(p, h2o2_o2), x(p, h2o2_n2)
  end do
  call h2o2_mass_from_mole(x, y)
  do p = 1, 2
    print '(3es24.15)', y(p, h2o2_h2), y(p, h2o2_o2), y(p, h2o2_n2)
  end do
end program
