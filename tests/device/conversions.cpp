  double y[species_count], back[species_count], c[species_count];
  mass_from_mole(x, 1, y, 1);
  mole_from_mass(y, 1, back, 1);
  concentrations_from_mole(t, p, x, 1, c, 1);
  const double pressure = mole_from_concentrations(t, c, 1, c, 1);
  const double density = density_by_mole(t, p, x, 1);
  put(mean_weight_by_mole(x, 1)); put(mean_weight_by_mass(y, 1));
  put(density); put(density_by_mass(t, p, y, 1));
  put(pressure); put(pressure_by_mass(t, density, y, 1));
  for (int k = 0; k < species_count; ++k) { put(y[k]); put(back[k]); put(c[k]); put(molecular_weight(k)); }
  put(atoms_of(species_H2O, element_H)); put(atoms_of(species_H2O, element_O)); put(atoms_of(species_H2, element_O));
  return species_name(species_H2O) == std::string("H2O") && element_name(element_H) == std::string("H")
    && !species_name(-1) && !species_name(species_count) && !element_name(element_count) ? 0 : 1;
