program caller
  implicit none
  integer, parameter :: kk = @species@, ii = @reactions@, mm = @elements@
  integer :: ickwrk(1), sizes(4), i, k, ki(8), nu(8), nspec, ncf(mm, kk), nuki(kk, ii)
  double precision :: rckwrk(1), p, t, x(kk), y(kk), c(kk), wt(kk), rho, ru, ruc, pa, value, rows(ii), other(ii)
  double precision :: wdot(kk), made(kk), lost(kk), two_y(2, kk), two_w(2, kk), h(kk)
  character(len=16) :: names(kk), cckwrk(1)
  character(len=2) :: elements(mm)
  logical :: error
  p = @pressure@
  t = @temperature@
  x = (/ @fractions@ /)
  call ckindx(ickwrk, rckwrk, sizes(1), sizes(2), sizes(3), sizes(4))
  if (sizes(1) /= mm .or. sizes(2) /= kk .or. sizes(3) /= ii) stop 1
  call cksyms(cckwrk, 6, names, error)
  if (error .or. names(1) /= 'H2' .or. names(kk) /= 'N2') stop 2
  call cksyms(cckwrk, 6, elements, error)
  if (.not. error) stop 3
  call cksyme(cckwrk, 6, elements, error)
  if (error .or. elements(1) /= 'O') stop 4
  call ckncf(mm, ickwrk, rckwrk, ncf)
  if (any(ncf(:, 6) /= (/ 1, 2, 0, 0 /))) stop 5
  call cknu(kk, ickwrk, rckwrk, nuki)
  call ckinu(0, 8, ickwrk, rckwrk, nspec, ki, nu)
  if (nspec /= 0) stop 6
  do i = 1, ii
    call ckinu(i, 8, ickwrk, rckwrk, nspec, ki, nu)
    do k = 1, kk
      if (sum(nu(1:nspec), mask=ki(1:nspec) == k) /= nuki(k, i)) stop 7
    end do
    if (any(matmul(ncf, nuki(:, i)) /= 0)) stop 8
  end do
  call ckrp(ickwrk, rckwrk, ru, ruc, pa)
  call ckwt(ickwrk, rckwrk, wt)
  call ckxty(x, ickwrk, rckwrk, y)
  call ckrhoy(p, t, y, ickwrk, rckwrk, rho)
  call ckytcr(rho, t, y, ickwrk, rckwrk, c)
  call put('weights', wt, kk)
  call put('mass', y, kk)
  call put('density', (/ rho /), 1)
  call put('concentrations', c, kk)
  call ckpy(rho, t, y, ickwrk, rckwrk, value)
  call put('pressure', (/ value /), 1)
  call ckmmwy(y, ickwrk, rckwrk, value)
  call put('mean', (/ value /), 1)
  call ckcpbs(t, y, ickwrk, rckwrk, value)
  call put('cp', (/ value /), 1)
  call ckubms(t, y, ickwrk, rckwrk, value)
  call put('u', (/ value /), 1)
  call ckhms(t, ickwrk, rckwrk, h)
  call put('h', (/ sum(y * h) /), 1)
  call cksbms(p, t, y, ickwrk, rckwrk, value)
  call put('entropy', (/ value /), 1)
  call ckgbms(p, t, y, ickwrk, rckwrk, value)
  call put('gibbs', (/ value /), 1)
  call ckabms(p, t, y, ickwrk, rckwrk, value)
  call put('helmholtz', (/ value /), 1)
  call ckrhoc(p, t, c, ickwrk, rckwrk, value)
  call put('density', (/ value /), 1)
  call cksor(t, ickwrk, rckwrk, made)
  call ckhort(t, ickwrk, rckwrk, lost)
  call cksmh(t, ickwrk, rckwrk, h)
  if (any(abs(h - (made - lost)) > 1d-13 * (abs(made) + abs(lost)))) stop 11
  call cksml(t, ickwrk, rckwrk, h)
  call put('s', h, kk)
  call ckwyp(p, t, y, ickwrk, rckwrk, wdot)
  call put('production', wdot, kk)
  call ckwxp(p, t, x, ickwrk, rckwrk, wdot)
  call put('production', wdot, kk)
  call ckwyr(rho, t, y, ickwrk, rckwrk, wdot)
  call put('production', wdot, kk)
  call ckwxr(rho, t, x, ickwrk, rckwrk, wdot)
  call put('production', wdot, kk)
  call ckwc(t, c, ickwrk, rckwrk, wdot)
  call put('production', wdot, kk)
  call getrates(p, t, y, ickwrk, rckwrk, wdot)
  call put('production', wdot, kk)
  two_y(1, :) = y
  two_y(2, :) = y
  call vckwyp(2, (/ 2 * p, p /), (/ t, t /), two_y, ickwrk, rckwrk, two_w)
  call put('production', two_w(2, :), kk)
  if (all(two_w(1, :) == two_w(2, :))) stop 9
  call ckcdyp(p, t, y, ickwrk, rckwrk, made, lost)
  call put('production', made - lost, kk)
  call put('creation', made, kk)
  call ckqc(t, c, ickwrk, rckwrk, rows)
  call put('production', matmul(nuki, rows), kk)
  call ckcont(2, rows, ickwrk, rckwrk, other)
  if (abs(sum(other) - dot_product(nuki(2, :), rows)) > 1d-12 * sum(abs(other))) stop 10
  call ckctyp(p, t, y, ickwrk, rckwrk, made, other)
  call put('creation', made, kk)
  call put('concentrations', other(1:kk) * lost, kk)
  call ckkfkr(p, t, x, ickwrk, rckwrk, rows, other)
  call put('forward', rows, ii)
  call put('reverse', other, ii)
  call ckeqyp(p, t, y, ickwrk, rckwrk, rows)
  call put('equilibrium', rows, ii)
  call mcavis(t, x, rckwrk, value)
  call put('viscosity', (/ value /), 1)
  call mcacon(t, x, rckwrk, value)
  call put('conductivity', (/ value /), 1)
  call mcsvis(t, rckwrk, h)
  call put('viscosities', h, kk)
  call mcscon(t, rckwrk, h)
  call put('conductivities', h, kk)
  call mcadif(p, t, x, rckwrk, h)
  call put('diffusion', h, kk)
contains
  subroutine put(what, values, n)
    character(len=*), intent(in) :: what
    integer, intent(in) :: n
    double precision, intent(in) :: values(n)
    write (*, '(a, 1x, *(es25.17e3, 1x))') what, values
  end subroutine
end program
