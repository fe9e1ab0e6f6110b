//! Faults of the input.

use super::entry::Entry;

pub const ENTRIES: [Entry; 122] = [
    Entry {
        id: "fmt::lewis-numbers",
        cause: "`singe fmt` wrote files in which the Lewis numbers do not stand by which diffusion goes.",
        remedy: "Give `--lewis-numbers` beside them. Cantera YAML (`--to yaml`) tells of unity Lewis numbers.",
    },
    Entry {
        id: "fmt::no-cantera-form",
        cause: "`singe fmt --to yaml` wrote a reaction that Cantera refuses, such as one with Landau-Teller rates or with orders and a reversible equation.",
        remedy: "Singe reads the file; for Cantera, fit the rate, or write an irreversible reaction for each direction.",
    },
    Entry {
        id: "fmt::no-chemkin-form",
        cause: "`singe fmt` was to write CHEMKIN files, which have no form of a rate of this mechanism.",
        remedy: "Write Cantera YAML with `--to yaml`.",
    },
    Entry {
        id: "fmt::not-canonical",
        cause: "`singe fmt --check` found a file that differs from its canonical form.",
        remedy: "Write the files anew with `singe fmt MECHANISM -o FOLDER`.",
    },
    Entry {
        id: "fmt::rounded",
        cause: "`singe fmt` wrote thermo coefficients that have more digits than fixed columns hold.",
        remedy: "Write Cantera YAML with `--to yaml`, which keeps all digits, or accept the rounding, whose size is told.",
    },
    Entry {
        id: "kernel::no-transport",
        cause: "A transport kernel was asked for, and the mechanism has no transport data.",
        remedy: "Give a transport file with `--transport` beside CHEMKIN files, add transport data to a YAML file, or choose kernels with `--kernel chemistry`.",
    },
    Entry {
        id: "kernel::heat-capacity",
        cause: "The state is told by energy or enthalpy, and a species' heat capacity is not positive around 1000 K.",
        remedy: "Correct its thermo data, or give temperatures with `--state TPX`, `TPY` or `TRY`.",
    },
    Entry {
        id: "kernel::state-is-given",
        cause: "The temperature kernel was asked for, and the state is told by temperature and pressure.",
        remedy: "Tell it by other variables with `--state TC`, `TRX`, `TRY`, `ERY` or `HPY`.",
    },
    Entry {
        id: "kernel::step-state",
        cause: "A step of a reactor was asked for, and the state is not told by temperature, pressure or density, and mass fractions, which a step advances.",
        remedy: "Use `--kernel isobaric-step --state TPY` or `--kernel isochoric-step --state TRY`.",
    },
    Entry {
        id: "kernel::reduced-jacobian",
        cause: "Derivatives were asked for, and the mechanism has stiff species, whose rates are scaled from a threshold on and have no derivatives there.",
        remedy: "Leave stiff species as they are with `--stiffness off`, or the reduction out with `--reduction none`. Quasi-steady species are no obstacle.",
    },
    Entry {
        id: "kernel::reduced-progress",
        cause: "Rates of reactions one by one were asked for, and the mechanism is reduced: quasi-steady and stiff species go by other rates than these.",
        remedy: "Leave the reduction out with `--reduction none`. The functions of CHEMKIN and PelePhysics do without these rates with `--stiffness off`.",
    },
    Entry {
        id: "kernel::no-such-output",
        cause: "`--outputs` names a quantity that none of the kernels stores which were asked for.",
        remedy: "Add the kernel that has it with `--kernel`, or leave the quantity out.",
    },
    Entry {
        id: "kernel::set-name",
        cause: "Two sets of kernels (`--set`) have one name, or a set's name is the beginning of a kernel's, so that two kernels of the project would have one name.",
        remedy: "Give each `--set` a name of its own.",
    },
    Entry {
        id: "kernel::one-species",
        cause: "The diffusion kernel was asked for, and the mechanism has one species.",
        remedy: "Choose the other kernels with `--kernel viscosity,conductivity,chemistry`.",
    },
    Entry {
        id: "kinetics::bad-transport",
        cause: "A transport parameter is negative, or zero where it must be positive.",
        remedy: "Correct the species' transport data.",
    },
    Entry {
        id: "kinetics::missing-transport",
        cause: "A species has no transport data, and others have.",
        remedy: "Add its line to the transport data.",
    },
    Entry {
        id: "kinetics::no-common-range",
        cause: "No temperature lies in the thermo ranges of all species, so that no transport fit is possible.",
        remedy: "Correct the temperature limits in the thermo data.",
    },
    Entry {
        id: "kinetics::outside-range",
        cause: "A rate constant is no finite number at some states outside the range of its table, or from 200 to 300 K or from 3000 to 4000 K.",
        remedy: "The verification leaves such states out. Give the table a wider range if they matter.",
    },
    Entry {
        id: "kinetics::rate-range",
        cause: "A rate constant is no finite number somewhere from 300 to 3000 K and 0.01 to 100 atm.",
        remedy: "Check A, b and E with their units. The entries of PLOG at one pressure must have a positive sum.",
    },
    Entry {
        id: "mechanism::atomic-weight",
        cause: "The weight given for an element is not a positive number.",
        remedy: "Write the weight in g/mol between slashes, such as `CI/13.003/`.",
    },
    Entry {
        id: "mechanism::auxiliary-without-reaction",
        cause: "An auxiliary line stands before the first reaction.",
        remedy: "Move it below the reaction that it belongs to.",
    },
    Entry {
        id: "mechanism::behind-end",
        cause: "Lines behind END are not read, such as reactions below a misplaced END.",
        remedy: "Move what is meant before END, and write `!` before remarks.",
    },
    Entry {
        id: "mechanism::chebyshev",
        cause: "The sizes, the ranges or the number of coefficients of a Chebyshev rate do not fit together.",
        remedy: "Give `TCHEB/ min max /`, `PCHEB/ min max /` and `CHEB/ rows columns coefficients /` with rows times columns coefficients.",
    },
    Entry {
        id: "mechanism::end-with-words",
        cause: "A line in REACTIONS begins with END and goes on with other words.",
        remedy: "Write END alone on its line, and remarks behind `!`. Forgiven by `--permissive`: it is a remark where reactions follow, else END.",
    },
    Entry {
        id: "mechanism::equation",
        cause: "An equation lacks an arrow, a side or a species.",
        remedy: "Write at least one species on both sides, separated by `=`, `<=>` or `=>`.",
    },
    Entry {
        id: "mechanism::explicit-collider",
        cause: "A collider that one reaction names also counts in the same reaction with M.",
        remedy: "Give it the efficiency 0 there, or mark both as duplicates; in YAML set `explicit-third-body-duplicates` in the phase.",
    },
    Entry {
        id: "mechanism::file-size",
        cause: "A file is larger than 32 MB.",
        remedy: "Check that it is a mechanism: the largest have a tenth of that.",
    },
    Entry {
        id: "mechanism::foreign-order",
        cause: "FORD names a species that is no reactant, or RORD one that is no product.",
        remedy: "Nothing, if this is meant: the concentration joins the product.",
    },
    Entry {
        id: "mechanism::keyword-conflict",
        cause: "Auxiliary keywords contradict each other or the equation, such as LOW without `(+M)`.",
        remedy: "Keep one form of pressure dependence, and the third body that it needs.",
    },
    Entry {
        id: "mechanism::letter-case",
        cause: "Two species differ only in the case of letters, such as `CH4` and `ch4`.",
        remedy: "If they are one species, write one name.",
    },
    Entry {
        id: "mechanism::linear-burke",
        cause: "The colliders of a linear-Burke rate do not go together: M is not the first, one has no positive efficiency or is listed twice, or the equation names another collider.",
        remedy: "Begin with M and its rate, then give each other collider an efficiency relative to it, as the manual of Cantera 3.1 shows.",
    },
    Entry {
        id: "mechanism::lone-duplicate",
        cause: "A reaction is marked DUPLICATE, and no other reaction equals it.",
        remedy: "Remove DUPLICATE, or look for a typing error in its partner.",
    },
    Entry {
        id: "mechanism::malformed-number",
        cause: "A word is not a number, or leaves the range of doubles when its units are converted.",
        remedy: "Numbers read like `1.2E+10` or `3.5D-4`.",
    },
    Entry {
        id: "mechanism::missing-end",
        cause: "A section is ended by the next one or by the end of the file.",
        remedy: "Write END below it.",
    },
    Entry {
        id: "mechanism::missing-section",
        cause: "The mechanism declares no elements or no species.",
        remedy: "Add the section.",
    },
    Entry {
        id: "mechanism::negative-order",
        cause: "A reaction order is negative: the rate grows without bound as the species vanishes.",
        remedy: "Nothing, if this is meant. Kernels count at least 1e-100 kmol/m3 of the species.",
    },
    Entry {
        id: "mechanism::negative-rate",
        cause: "A rate constant is negative outside a sum of duplicates.",
        remedy: "Mark the reaction and its partner DUPLICATE, or correct the sign.",
    },
    Entry {
        id: "mechanism::no-reactions",
        cause: "The mechanism has no reactions.",
        remedy: "Nothing, if only transport kernels are wanted.",
    },
    Entry {
        id: "mechanism::not-a-text",
        cause: "A file holds bytes that are zero.",
        remedy: "Save it as UTF-8, or as UTF-16 with a byte order mark.",
    },
    Entry {
        id: "mechanism::older-format",
        cause: "A mechanism is in CTI or CTML, Cantera's formats before YAML.",
        remedy: "Convert it with Cantera's `cti2yaml` or `ctml2yaml`, and give the YAML file.",
    },
    Entry {
        id: "mechanism::order",
        cause: "The overall order of a reaction is out of range.",
        remedy: "Check the coefficients and the orders in FORD and RORD.",
    },
    Entry {
        id: "mechanism::photon",
        cause: "The reaction involves photons (HV).",
        remedy: "Remove the reaction: photochemistry is not supported. `--permissive` lets a product photon go and makes the reaction irreversible.",
    },
    Entry {
        id: "mechanism::pressure",
        cause: "A pressure is not a positive number.",
        remedy: "Write the pressure in atm (CHEMKIN), or with its unit (YAML).",
    },
    Entry {
        id: "mechanism::rate-numbers",
        cause: "The line of a reaction lacks some of the numbers A, b and E.",
        remedy: "Write three numbers behind the equation.",
    },
    Entry {
        id: "mechanism::rate-unit",
        cause: "The unit written with a rate constant is not that of the reaction's order.",
        remedy: "The volume per amount has the power of the order less one: cm^3/mol/s for two reactants.",
    },
    Entry {
        id: "mechanism::repeated-element",
        cause: "An element is declared more than once.",
        remedy: "Remove one of the declarations.",
    },
    Entry {
        id: "mechanism::repeated-keyword",
        cause: "A keyword is given twice for one reaction.",
        remedy: "Keep one of the two. Forgiven by `--permissive`: the last counts.",
    },
    Entry {
        id: "mechanism::repeated-species",
        cause: "A species is declared twice, or an efficiency or order is given twice.",
        remedy: "Remove one of the two. An efficiency or order with another value is an error, which `--permissive` forgives: the last counts.",
    },
    Entry {
        id: "mechanism::section-behind-end",
        cause: "A section such as SPECIES or SITE stands behind the END of the reactions, where it is not read.",
        remedy: "Give it before REACTIONS, or remove it. Forgiven by `--permissive`.",
    },
    Entry {
        id: "mechanism::species-name",
        cause: "The name of a species contains `/`, or is written with escapes in YAML.",
        remedy: "Separate names by blanks.",
    },
    Entry {
        id: "mechanism::third-body",
        cause: "The third bodies on the two sides of an equation differ or are repeated.",
        remedy: "Write `+M`, `(+M)` or `(+SPECIES)` once on both sides.",
    },
    Entry {
        id: "mechanism::too-many-problems",
        cause: "There are more problems than are shown.",
        remedy: "Repair those above first.",
    },
    Entry {
        id: "mechanism::trailing-text",
        cause: "Text stands behind the last slash of an auxiliary line, or behind A, b and E.",
        remedy: "Write remarks behind `!`, and values between slashes. Forgiven by `--permissive`: the text is left out.",
    },
    Entry {
        id: "mechanism::unbalanced",
        cause: "A reaction creates or destroys atoms.",
        remedy: "Check the coefficients, and the compositions in the thermo data.",
    },
    Entry {
        id: "mechanism::undeclared-duplicate",
        cause: "Reactions agree in species, third body and form of the rate, and not all are marked DUPLICATE.",
        remedy: "Remove what is repeated, or write DUPLICATE below each.",
    },
    Entry {
        id: "mechanism::unknown-element",
        cause: "An element has no standard atomic weight.",
        remedy: "Give its weight, such as `X/12.3/`, or in the `elements` of the YAML file.",
    },
    Entry {
        id: "mechanism::unknown-species",
        cause: "A species is used and not declared.",
        remedy: "Declare it, or take the name that is suggested.",
    },
    Entry {
        id: "mechanism::unknown-unit",
        cause: "A unit on the REACTIONS line or in UNITS is unknown.",
        remedy: "Known are CAL/MOLE, KCAL/MOLE, JOULES/MOLE, KJOULES/MOLE, KELVINS, EVOLTS, MOLES and MOLECULES.",
    },
    Entry {
        id: "mechanism::unparsable-line",
        cause: "A line of the REACTIONS section is neither a reaction nor an auxiliary line.",
        remedy: "Look for a missing arrow, slash or comment mark.",
    },
    Entry {
        id: "mechanism::unreadable-file",
        cause: "A file does not exist or cannot be opened.",
        remedy: "Check the path and the permissions.",
    },
    Entry {
        id: "mechanism::unrecognized-section",
        cause: "Lines stand outside every known section.",
        remedy: "Sections begin with ELEMENTS, SPECIES, THERMO, TRANSPORT or REACTIONS.",
    },
    Entry {
        id: "mechanism::unsupported-keyword",
        cause: "An auxiliary keyword is unknown, or stands for surface or plasma kinetics.",
        remedy: "Known are DUP, LOW, HIGH, TROE, SRI, REV, LT, RLT, FORD, RORD, PLOG, TCHEB, PCHEB, CHEB, UNITS and `SPECIES/efficiency/`.",
    },
    Entry {
        id: "mechanism::unsupported-section",
        cause: "A section (SITE, BULK, SURFACE, MATERIAL) stands for surface kinetics.",
        remedy: "Give the gas-phase mechanism alone.",
    },
    Entry {
        id: "mechanism::unused-efficiency",
        cause: "A third-body efficiency has no effect: its species is undeclared, or the reaction has no `M`.",
        remedy: "Remove it, or declare the species.",
    },
    Entry {
        id: "mechanism::unused-third-body",
        cause: "An equation with +M has a rate that is tabulated over the pressure, on which M has no effect.",
        remedy: "Write the equation without M.",
    },
    Entry {
        id: "mechanism::value-count",
        cause: "A keyword has too many or too few values.",
        remedy: "Write the values between slashes, separated by blanks.",
    },
    Entry {
        id: "lewis::missing-species",
        cause: "The file of `--lewis-numbers` has no line for some of the species.",
        remedy: "Add a line `SPECIES VALUE` for each. Quasi-steady species need none.",
    },
    Entry {
        id: "lewis::number",
        cause: "A Lewis number is no number, not finite, or not above 0.",
        remedy: "Correct it.",
    },
    Entry {
        id: "lewis::repeated-species",
        cause: "The file of `--lewis-numbers` has two lines for a species.",
        remedy: "Remove one of them.",
    },
    Entry {
        id: "lewis::syntax",
        cause: "A line of the file of `--lewis-numbers` is no species with a number.",
        remedy: "Write `SPECIES VALUE`; `!` and `#` begin comments.",
    },
    Entry {
        id: "lewis::unknown-species",
        cause: "The file of `--lewis-numbers` names a species that the mechanism does not have.",
        remedy: "Take the name that is suggested, or remove the line.",
    },
    Entry {
        id: "reduction::collider",
        cause: "A quasi-steady species is the collider of a reaction.",
        remedy: "Remove it from the QSSA list.",
    },
    Entry {
        id: "reduction::not-linear",
        cause: "The rate of a reaction is not linear in a quasi-steady species.",
        remedy: "Remove the species from the QSSA list.",
    },
    Entry {
        id: "reduction::not-whole",
        cause: "A stiff species has a coefficient that is not whole.",
        remedy: "Remove the species from the STIFF list.",
    },
    Entry {
        id: "reduction::nothing-left",
        cause: "No species is left that is integrated.",
        remedy: "Shorten the QSSA list.",
    },
    Entry {
        id: "reduction::qssa-and-stiff",
        cause: "A species is both quasi-steady and stiff.",
        remedy: "A quasi-steady species is not integrated: remove one of the two.",
    },
    Entry {
        id: "reduction::repeated-species",
        cause: "A species is listed twice.",
        remedy: "Remove it once; `--permissive` forgives it.",
    },
    Entry {
        id: "reduction::singular",
        cause: "The concentration of a quasi-steady species cannot be solved for.",
        remedy: "Remove it from the QSSA list.",
    },
    Entry {
        id: "reduction::stray",
        cause: "A word stands outside the lists of the reduction file.",
        remedy: "The file reads: QSSA names END STIFF names END.",
    },
    Entry {
        id: "reduction::unclosed",
        cause: "A list of the reduction file has no END.",
        remedy: "Write END after its last species; `--permissive` forgives it.",
    },
    Entry {
        id: "reduction::unknown-species",
        cause: "The reduction file names a species that is not declared.",
        remedy: "Take the name that is suggested.",
    },
    Entry {
        id: "thermo::common-temperature",
        cause: "A NASA-7 entry has no common temperature of its two ranges; the default is taken.",
        remedy: "Write the temperature where the ranges meet into columns 66-73.",
    },
    Entry {
        id: "thermo::composition",
        cause: "The elemental composition of a species is malformed, empty or impossible.",
        remedy: "A field has two columns for the symbol and three (NASA-9: six) for the number of atoms. Longer numbers stand behind `&`.",
    },
    Entry {
        id: "thermo::empty-range",
        cause: "The common temperature of an entry is its lowest or its highest one, and its two sets of coefficients differ.",
        remedy: "Correct the temperatures, or give one set of coefficients twice. Forgiven by `--permissive`: the empty range takes the coefficients of the other one.",
    },
    Entry {
        id: "thermo::malformed-entry",
        cause: "The thermo entry of a species that is used cannot be read.",
        remedy: "`--permissive` leaves the species out. A NASA-7 entry has four lines with the digits 1 to 4 in column 80, a NASA-9 entry two lines and three for each range; in YAML one or two rows of seven coefficients.",
    },
    Entry {
        id: "thermo::malformed-number",
        cause: "A number in a thermo entry is malformed.",
        remedy: "Coefficients have 15 columns each (NASA-9: 16): look for a shifted or missing column.",
    },
    Entry {
        id: "thermo::missing-file",
        cause: "There are no thermodynamic data at all.",
        remedy: "Name the file with `--thermo`, or put a THERMO section into the mechanism.",
    },
    Entry {
        id: "thermo::missing-species",
        cause: "A declared species has no thermo data.",
        remedy: "Add its entry, or take the name that is suggested.",
    },
    Entry {
        id: "thermo::no-entries",
        cause: "No species of the mechanism has thermo data: the file is empty, of another kind or of another mechanism.",
        remedy: "Give the file that belongs to the mechanism with `--thermo`.",
    },
    Entry {
        id: "thermo::ranges",
        cause: "The temperature ranges of a NASA-9 entry are not adjacent, or not as many as it announces.",
        remedy: "Let each range begin where the one below it ends; a range has three lines.",
    },
    Entry {
        id: "thermo::reference-pressure",
        cause: "Two species give their entropies for different reference pressures, which Cantera refuses.",
        remedy: "Give all species one `reference-pressure`. Forgiven by `--permissive`: entropies are converted to 1 atm.",
    },
    Entry {
        id: "thermo::repeated-species",
        cause: "A species has two thermo entries that differ; the first counts.",
        remedy: "Remove one of the entries.",
    },
    Entry {
        id: "thermo::step",
        cause: "The two ranges of a NASA-7 entry do not meet: cp/R, h/RT or s/R makes a step of more than 0.1.",
        remedy: "Check the coefficients of the species and its common temperature.",
    },
    Entry {
        id: "thermo::stray-line",
        cause: "A line of the thermo data belongs to no entry and is not read.",
        remedy: "Write `!` before remarks.",
    },
    Entry {
        id: "thermo::stray-reaction",
        cause: "A reaction stands among the thermo data, where it is not read.",
        remedy: "Close the thermo data by END, and write REACTIONS before the reactions.",
    },
    Entry {
        id: "thermo::temperature-order",
        cause: "The temperatures of a thermo entry do not ascend.",
        remedy: "Give the lowest, the common and the highest temperature in their columns; `--single-intermediate-temperature` ignores columns 66-73. Forgiven by `--permissive`, which takes the outer temperatures as the ends.",
    },
    Entry {
        id: "thermo::undeclared-element",
        cause: "A species contains an element that is not declared.",
        remedy: "Declare the element.",
    },
    Entry {
        id: "transport::geometry",
        cause: "The geometry of a species is invalid.",
        remedy: "0 is an atom, 1 a linear molecule, 2 a nonlinear one; in YAML `atom`, `linear`, `nonlinear`.",
    },
    Entry {
        id: "transport::malformed-number",
        cause: "A number of a transport line is malformed.",
        remedy: "A line reads: name, geometry, eps/k in K, sigma in Angstrom, dipole in Debye, polarizability in Angstrom^3, Zrot.",
    },
    Entry {
        id: "transport::missing-species",
        cause: "A declared species has no transport data, and others have.",
        remedy: "Add its data, or take the name that is suggested. Chemistry alone needs none: `--kernel chemistry`, or `--transport none`.",
    },
    Entry {
        id: "transport::no-entries",
        cause: "No species of the mechanism has transport data: the file is empty, of another kind or of another mechanism.",
        remedy: "Give the file that belongs to the mechanism with `--transport`, or `--transport none` for chemistry alone.",
    },
    Entry {
        id: "transport::not-positive",
        cause: "The well depth or the diameter of a species is not positive.",
        remedy: "Correct the values.",
    },
    Entry {
        id: "transport::repeated-species",
        cause: "A species has two transport lines.",
        remedy: "Remove one of the lines. Where they differ, `--permissive` takes the first.",
    },
    Entry {
        id: "transport::shape",
        cause: "The geometry of a species contradicts its number of atoms, such as a linear atom or a nonlinear diatomic.",
        remedy: "Give 0 for an atom, 1 for a linear molecule, 2 for a nonlinear one of three or more atoms. Forgiven by `--permissive`, which takes the geometry that fits: nonlinear for three and more atoms.",
    },
    Entry {
        id: "transport::too-long",
        cause: "A transport line has more than six values.",
        remedy: "Write geometry, well depth, diameter, dipole, polarizability and Zrot. Forgiven by `--permissive`: the first six count.",
    },
    Entry {
        id: "transport::too-short",
        cause: "A transport line has fewer than six values.",
        remedy: "A line reads: name, geometry, eps/k, sigma, dipole, polarizability, Zrot.",
    },
    Entry {
        id: "yaml::companion",
        cause: "A thermo or transport file is given beside a YAML file.",
        remedy: "Leave `--thermo` and `--transport` out: YAML files hold these data themselves.",
    },
    Entry {
        id: "yaml::misplaced-units",
        cause: "Units that are not the first item of their list have no effect on what follows, which Cantera refuses.",
        remedy: "Write the units first in the list, or into each entry.",
    },
    Entry {
        id: "yaml::missing-file",
        cause: "A phase refers to a file that cannot be read.",
        remedy: "Put the file beside the mechanism, or copy its entries.",
    },
    Entry { id: "yaml::missing-key", cause: "An entry lacks a key that it needs.", remedy: "Add the key." },
    Entry {
        id: "yaml::missing-section",
        cause: "A phase refers to a section that its file does not have.",
        remedy: "Take the name that is suggested, or add the section.",
    },
    Entry {
        id: "yaml::no-break-space",
        cause: "A no-break space stands at the beginning of a line, or behind `:`, `-` or `,`, in a file with errors.",
        remedy: "Replace it by a blank.",
    },
    Entry {
        id: "yaml::outside-folder",
        cause: "A phase refers to a file that is not in the folder of its own file, or below it.",
        remedy: "Put the file there: a mechanism cannot make Singe read other files.",
    },
    Entry {
        id: "yaml::phase",
        cause: "The file has no phase of ideal gases, or none of the name that was asked for.",
        remedy: "Singe computes phases of the type `ideal-gas`; `--phase` takes one of their names.",
    },
    Entry {
        id: "yaml::phase-choice",
        cause: "The first phase of the file is none of ideal gases; a later one is read.",
        remedy: "Name the phase with `--phase` if it is meant.",
    },
    Entry {
        id: "yaml::reverse",
        cause: "A reaction marked `reverse-of-previous` is not the reverse of the one before it.",
        remedy: "Mirror its equation with the arrow `=>` on both, and give it a `rate-constant`.",
    },
    Entry { id: "yaml::syntax", cause: "The text is not YAML.", remedy: "Look for indentation, brackets and quotes." },
    Entry {
        id: "yaml::transport-model",
        cause: "The phase asks for another transport model than Singe computes.",
        remedy: "Transport is mixture-averaged, from the parameters of the species, or has unity Lewis numbers (`unity-Lewis-number`).",
    },
    Entry {
        id: "yaml::unknown-key",
        cause: "A key of a YAML file is not known and has no effect, as if it were absent.",
        remedy: "Take the name that is suggested, or remove the key.",
    },
    Entry {
        id: "yaml::unknown-unit",
        cause: "A unit is unknown.",
        remedy: "Known are lengths from nm to km and L; kmol, mol, molec; s; Pa, kPa, MPa, bar, atm, torr, dyn/cm^2; K, eV, and J, kJ, MJ, erg, cal, kcal per amount.",
    },
    Entry {
        id: "yaml::unmarked",
        cause: "A rate constant or an order is negative, or an order is that of a species which is no reactant, and the reaction does not say so.",
        remedy: "Add `negative-A`, `negative-orders` or `nonreactant-orders: true` if it is meant; `--permissive` forgives it.",
    },
    Entry {
        id: "yaml::unsupported",
        cause: "The file asks for something that Singe does not compute, such as a phase that is no ideal gas.",
        remedy: "Remove it, or replace it as the message says. Unknown keys of reactions are forgiven by `--permissive`.",
    },
];
