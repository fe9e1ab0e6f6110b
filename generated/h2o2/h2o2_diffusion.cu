// h2o2_diffusion: diffusion of h2o2, made by singe 0.2.0
//
// command     singe mechanisms/h2o2/chem.inp --warps 8 --target kepler --codegen overlay --emit cuda,picture --verify no-compilers
// input       mechanisms/h2o2/chem.inp sha256 b672951e65e781496dc3dbac71cc1188a40605a11f20f8f00b734de95f70ecc7
// input       mechanisms/h2o2/therm.dat sha256 c0e83a2f1255ee15ce3ffdf5db49e1813d580f7632d8b60c80df5cc9023ad45b
// input       mechanisms/h2o2/tran.dat sha256 377ed79c9f704d6c49a316134f171ad180a1cfde27eadec992dce85edf624272
// form        polynomial, relative error at most 2.4e-5 from 200 to 4000 K, rounding aside
// target      kepler (compute capability 3.5)
// execution   warp-specialized; warps per CTA: 8, CTAs per SM: 1
// barriers    named barriers per CTA: 3
// constants   registers per thread: 3 real, 2 index
// banks       entries: 0 real, 0 index
// slots       84 (21504 bytes of shared memory per CTA)

// Constants.
// Register r of thread t is at [256 * r + t]; the lanes of a warp share theirs by shuffles.
static __device__ const double h2o2_diffusion_reals[768] = {
  107157568.0, 217075072.0, 289382656.0, 217798528.0, 246178560.0, 13797480.0, 29568960.0, 38509216.0, 29667504.0,
  16865328.0, 4121978.0, 5801372.0, 9238848.0, 5820704.0, 25901152.0, -1649639.0, -1987918.0, -3473792.0, -1994543.0,
  -11209000.0, -194541.875, -282366.25, -456213.25, -283307.25, 439672.5, -71432.375, -60928.5, -125577.0, -61131.5625,
  -1371577.0, 0.0, 0.0, 690967552.0, 465287936.0, 537630720.0, 694511616.0, 697895936.0, 82683840.0, 58666464.0,
  18971136.0, 83107968.0, 83512960.0, 35309216.0, 19712480.0, 71142272.0, 35490336.0, 35663264.0, -14996560.0,
  -8090260.0, -30172128.0, -15073480.0, -15146936.0, -1371562.0, -889374.0, 3414272.0, -1378597.0, -1385315.0,
  -862589.0, -385355.75, -4690996.0, -867013.5, -871238.5, 0.0, 0.0, 18.015, 0.0, 0.0, 546273280.0, 708803072.0,
  712401920.0, 715359744.0, 719046656.0, 19276096.0, 84818176.0, 85248768.0, 80867584.0, 87693248.0, 72285888.0,
  36220640.0, 36404544.0, 42512544.0, 34553536.0, -30657136.0, -15383664.0, -15461768.0, -18344320.0, -14535400.0,
  3469158.0, -1406966.0, -1414109.0, -1340751.0, -1424039.0, 0.0, 18.015, 28.014, 0.0, 34.014, 0.0, 2.016, 836632576.0,
  841044480.0, 852907008.0, 852905472.0, 0.0, 7238260.0, 7276428.0, -13758536.0, -2610248.0, 0.0, 126382720.0,
  127049216.0, 141989632.0, 135211392.0, 0.0, -52475456.0, -52752192.0, -57702912.0, -55561312.0, 0.0, 8791744.0,
  8838104.0, 12363216.0, 10563000.0, 0.0, 1.008, 33.006, 0.0, 0.0, 33.006, 0.0, 15.999, 1102069760.0, 1126338560.0,
  1089070080.0, 289644800.0, 0.0, 122700224.0, 115850304.0, 124467712.0, 38544128.0, 0.0, 67786240.0, 80126144.0,
  63048896.0, 9247224.0, 0.0, -29332432.0, -34784736.0, -27138560.0, -3476940.0, 0.0, -2007142.0, -1590964.0,
  -2076094.0, -456626.75, 0.0, 31.998, 34.014, 0.0, 0.0, 17.007, 0.0, 39.95, 1135589376.0, 1096554496.0, 289892096.0,
  173538048.0, 0.0, 116801920.0, 125323200.0, 38577056.0, 17435232.0, 0.0, 80784320.0, 63482208.0, 9255120.0,
  12812616.0, 0.0, -35070464.0, -27325088.0, -3479910.0, -5572488.0, 0.0, -1604032.0, -2090362.0, -457016.75,
  -219991.125, 0.0, 17.007, 39.95, 0.0, 0.0, 2.016, 1.008, 28.014, 1117720576.0, 284977920.0, 169626624.0, 700059136.0,
  0.0, 118985792.0, 36972416.0, 15232264.0, 79137920.0, 0.0, 75085824.0, 10563712.0, 14427992.0, 41603232.0, 0.0,
  -32599824.0, -4189840.0, -6279760.0, -17951936.0, 0.0, -1801980.0, -506412.0, -76531.625, -1312073.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 15.999, 31.998, 0.0, 300769024.0, 181818240.0, 705353216.0, 1081278464.0, 0.0, 40366368.0, 18950064.0,
  86023296.0, 123577344.0, 0.0, 9035224.0, 12658992.0, 33895520.0, 62597856.0, 0.0, -3299348.0, -5494064.0, -14258592.0,
  -26944432.0, 0.0, -445829.0, -271151.75, -1396920.0, -2061242.0, 0.0, 0.0, 0.0, 0.0, 0.0, 13790.96875, 9390.625,
  22032.96875, 9421.921875, 359220.5, 126367040.0, 173380864.0, 126589568.0, 146649600.0, 173461760.0, 14046464.0,
  17419440.0, 14071200.0, -3350728.0, 17427568.0, 7800052.0, 12801008.0, 7813788.0, 24971200.0, 12806984.0, -3376122.0,
  -5567440.0, -3382068.0, -10074880.0, -5570040.0, -229366.75, -219792.0, -229770.625, 2281418.0, -219894.5, 0.0, 0.0,
  185903.25, 77602.125, 1309535.0, 186856.75, 187767.25, 705036800.0, 839521280.0, 1085360128.0, 1093363712.0,
  1116746752.0, 84367488.0, -10987040.0, 120839872.0, 121731008.0, 114863808.0, 36028192.0, 138260608.0, 66758464.0,
  67250816.0, 79443904.0, -15301920.0, -56348768.0, -28887696.0, -29100736.0, -34488544.0, -1399490.0, 11759888.0,
  -1976710.0, -1991287.0, -1577417.0, 0.0, 0.0, -4766404.0, -884855.0, -889347.5, -1231907.0, -785577.5, 1330586.0,
  190701.875, 191670.125, 277693.0, 165814.375, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -9314216.0, -9363336.0, -11211496.0, -10324568.0, 0.0, 2699318.0, 2713552.0,
  3340602.0, 3032920.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, -2041107.0, -2817876.0, -1773974.0, -125690.8125, 0.0, 464648.0, 664484.0, 396810.75, 22052.9375,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  -2841022.0, -1786166.0, -125798.1875, -469296.0, 0.0, 669942.5, 399538.0, 22071.78125, 111837.75, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -2486768.0, -174914.75,
  -613818.5, -1205557.0, 0.0, 578819.0, 33259.0625, 151768.0, 271753.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -112650.875, -435143.0, -770617.0, -1761284.0,
  0.0, 18964.625, 102072.5625, 162656.625, 393972.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -235787.625, -468871.25, -236202.875, -1995952.0, -469090.0,
  53729.15625, 111736.5, 53823.78125, 598178.5, 111788.625, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -880153.0, -10843888.0, -2010159.0, -2024983.0, -2793882.0,
  189688.625, 3221408.0, 457603.0, 460977.75, 658826.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
};

// Rows, slots and numbers of rounds.
// Register r of thread t is at [256 * r + t]; the lanes of a warp share theirs by shuffles.
static __device__ const int h2o2_diffusion_indices[512] = {
  0, 17, 26, 62, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 19, 31, 65, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 4, 21, 22, 23, 24, 25, 36, 5, 68, 0, 0, 80, 7, 1, 2, 10, 23, 23, 23, 23, 23, 23, 23, 23, 7, 7,
  7, 7, 7, 7, 7, 7, 5, 22, 23, 24, 25, 0, 41, 4, 69, 76, 0, 81, 6, 1, 0, 8, 24, 24, 24, 24, 24, 24, 24, 24, 8, 8, 8, 8,
  8, 8, 8, 8, 6, 23, 24, 25, 16, 0, 45, 4, 70, 78, 2, 82, 4, 1, 8, 4, 12, 6, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  7, 24, 25, 16, 17, 0, 49, 4, 71, 0, 0, 0, 0, 2, 9, 0, 14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 25, 16, 17,
  18, 0, 53, 4, 72, 0, 0, 0, 2, 2, 0, 2, 16, 17, 18, 19, 20, 21, 22, 25, 0, 1, 2, 3, 4, 5, 6, 9, 9, 16, 17, 18, 19, 0,
  57, 4, 73, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 10, 8, 12, 10, 5,
  2, 26, 63, 52, 55, 58, 5, 28, 31, 66, 60, 0, 0, 4, 77, 1, 79, 3, 0, 0, 0, 0, 0, 0, 0, 6, 0, 10, 0, 12, 0, 6, 1, 27,
  65, 56, 59, 0, 4, 67, 39, 43, 46, 49, 72, 6, 78, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 8, 0, 12, 0, 7, 1, 35, 38, 42,
  45, 71, 5, 40, 44, 47, 50, 53, 73, 6, 82, 7, 83, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 29, 32, 68, 0, 0, 3,
  0, 0, 0, 0, 0, 0, 0, 74, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 30, 33, 36, 69, 0, 4, 0, 0, 0, 0, 0, 0,
  0, 80, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 62, 48, 51, 54, 57, 5, 64, 34, 37, 41, 70, 0, 5, 76, 0,
  81, 6, 0, 0, 0, 0, 0, 0, 0,
};

// c and -log2 c by interval of the mantissa
static __device__ const double h2o2_diffusion_logarithms[128] = {
  1.4408932497454283, -0.5269634557294012, 1.424874049815125, -0.5108343994613733, 1.4091837676837855,
  -0.4948597617103587, 1.393842696311441, -0.47906775341812136, 1.3788048650018707, -0.46341829426000913,
  1.3641311307058503, -0.44798233389724373, 1.3497290567774154, -0.43266983122111924, 1.335640773739679,
  -0.4175320410220138, 1.3218698795441954, -0.402580169753719, 1.3083403363290098, -0.3877378754436904,
  1.295097788908842, -0.373061035554656, 1.2821446572723838, -0.3585590424215752, 1.2694311522312263,
  -0.3441821523481394, 1.2569477698652798, -0.3299247024856413, 1.2447275120254677, -0.3158299510678262,
  1.2327490697952177, -0.3018791642141423, 1.2209775296330294, -0.288036649805008, 1.2094451851190757,
  -0.2743453844902888, 1.198115558842654, -0.26076706349317647, 1.1870093177125787, -0.24733125980287696,
  1.1761191898348955, -0.23403427264906895, 1.165411214156234, -0.22083909818138636, 1.1548809538519171,
  -0.20774414502739091, 1.1445707383002022, -0.194806629028335, 1.1344156498844626, -0.18194934059465595,
  1.1244591252097453, -0.16923121920467565, 1.1146607596662776, -0.1566047013423031, 1.1050315022033133,
  -0.14408749850781533, 1.0955733807486745, -0.1316861182822322, 1.0862853543600886, -0.11940313191189489,
  1.0771458614948586, -0.10721362537583445, 1.068140718033234, -0.09510172177783716, 1.0593124223940171,
  -0.08312814529358548, 1.050604764277002, -0.07122003194604076, 1.0420579340240304, -0.05943548760274098,
  1.0336529708639584, -0.047751909785120006, 1.0253761150581122, -0.03615319733921751, 1.0172137799145247,
  -0.024622911064852815, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.9721478259984143, 0.04075238638642986, 0.9576013379700844,
  0.0625029268567232, 0.9434895404940554, 0.08392157066100481, 0.9297751625058435, 0.10504620786491614,
  0.9164665583875065, 0.12584585670674642, 0.9035231265088695, 0.14636656621291877, 0.8909558148761583,
  0.16657420886372165, 0.878721232669225, 0.18652254047719907, 0.8668090597832012, 0.20621386250331852,
  0.8552345319763852, 0.22560798866561527, 0.8439588314810613, 0.24475546925668823, 0.8329633970484452,
  0.2636749943228551, 0.822261691832361, 0.2823304778362399, 0.811834447522057, 0.30074253753855373, 0.8016649744152521,
  0.31892865213785626, 0.791744585637959, 0.33689299850061616, 0.782083575938888, 0.35460530813497826,
  0.772630728758579, 0.3721490378895851, 0.7634236741652612, 0.3894441689164978, 0.7544150417420937, 0.4065696537227268,
  0.7456271905138941, 0.42347362370378505, 0.7370384881409521, 0.4401881360822699, 0.7286595067870512,
  0.45668327570433576,
};

// The value that this lane holds, in all lanes of the warp.
static __device__ __forceinline__ double broadcast(double value, int lane)
{
  const int high = __shfl(__double2hiint(value), lane);
  const int low = __shfl(__double2loint(value), lane);
  return __hiloint2double(high, low);
}

static __device__ __forceinline__ int broadcast_index(int value, int lane)
{
  return __shfl(value, lane);
}

// Row of a field-major input at one point.
static __device__ __forceinline__ double load(const double *__restrict__ field, int row, int stride, int point)
{
  return __ldg(field + (size_t)row * stride + point);
}

// Row of a field-major output at one point, for the lanes whose point exists.
static __device__ __forceinline__ void store(double *field, int row, int stride, int point, bool active, double value)
{
  if (active) field[(size_t)row * stride + point] = value;
}

static __device__ __forceinline__ double select_le(double a, double b, double then, double otherwise)
{
  return a <= b ? then : otherwise;
}

// Arrives and waits for the rest.
template <int id, int threads> static __device__ __forceinline__ void barrier_sync()
{
  asm volatile("bar.sync %0, %1;" : : "n"(id), "n"(threads) : "memory");
}

// Arrives and goes on.
template <int id, int threads> static __device__ __forceinline__ void barrier_arrive()
{
  asm volatile("bar.arrive %0, %1;" : : "n"(id), "n"(threads) : "memory");
}

// log2 x below 1 ulp for positive normal x; not a number for any other. The table has pairs c, -log2 c; next to 1, c is
// 1 and the largest term, the product of f and log2 e, is rounded once.
static __device__ __forceinline__ double singe_log2(double x, const double *table)
{
  const unsigned high = (unsigned)__double2hiint(x);
  const unsigned above = high - 0x3fe61556u;
  const bool near = above - 0x98000u < 0xc000u;
  const unsigned exponent = (unsigned)(((int)above) >> 20);
  const unsigned m_high = high - 0x100000u < 0x7fe00000u ? high - (exponent << 20) : 0x7ff80000u;
  const double m = __hiloint2double((int)m_high, __double2loint(x));
  const unsigned entry = (above >> 14) & 63u;
  const double f = fma(m, __ldg(table + 2 * entry), -1.0);
  double p = fma(-0.17608424994567926, f, 0.20612868497723777);
  p = fma(p, f, -0.24045037899117797);
  p = fma(p, f, 0.28853900755724343);
  p = fma(p, f, -0.3606737601342694);
  p = fma(p, f, 0.4808983469629641);
  p = fma(p, f, -0.7213475204444827);
  p = fma(p, f, near ? 2.0355273740931033e-17 : 1.4426950408889634);
  const double rest = fma(near ? f : (double)((int)exponent), near ? p : 1.0, __ldg(table + 2 * entry + 1));
  return fma(f, near ? 1.4426950408889634 : p, rest);
}

// max(x, 0) without a double-precision instruction; what is not a number stays so.
static __device__ __forceinline__ double positive(double x)
{
  return __double2hiint(x) < -1048576 ? 0.0 : x;
}

extern "C" __global__ void __launch_bounds__(256, 1)
h2o2_diffusion(const double *__restrict__ temperature, const double *__restrict__ pressure,
    const double *__restrict__ mole_fractions, double *__restrict__ diffusion, int points, int stride)
{
  // Slots, what they hold, and the phase that stores it: 0: clamped_mass 0 (1); 1: mass 0 (1); 2: clamped_mass 2 (1);
  //   3: mass 2 (1); 4: clamped_mass 4 (1); 5: mass 4 (1); 6: clamped_mass 5 (1); 7: mass 5 (1); 8: clamped_mass 6 (1);
  //   9: mass 6 (1); 10: clamped_mass 7 (1); 11: mass 7 (1); 12: clamped_mass 8 (1); 13: mass 8 (1); 14: clamped_mass 9
  //   (1); 15: mass 9 (1); 16: clamp H2 (1); 17: clamp H (1); 18: clamp O (1); 19: clamp O2 (1); 20: clamp OH (1); 21:
  //   clamp H2O (1); 22: clamp HO2 (1); 23: clamp H2O2 (1); 24: clamp AR (1); 25: clamp N2 (1); 26: share Iteration(0)
  //   0 of columns 0 (2); 27: share Iteration(1) 0 of columns 0 (2); 28: share Iteration(2) 0 of columns 0 (2); 29:
  //   share Iteration(3) 0 of columns 0 (2); 30: share Iteration(4) 0 of columns 0 (2); 31: share Iteration(0) 0 of
  //   columns 2 (2); 32: share Iteration(1) 0 of columns 2 (2); 33: share Iteration(2) 0 of columns 2 (2); 34: share
  //   Iteration(3) 0 of columns 2 (2); 35: share Iteration(4) 0 of columns 2 (2); 36: share Iteration(0) 0 of columns 4
  //   (2); 37: share Iteration(1) 0 of columns 4 (2); 38: share Iteration(2) 0 of columns 4 (2); 39: share Iteration(3)
  //   0 of columns 4 (2); 40: share Iteration(4) 0 of columns 4 (2); 41: share Iteration(0) 0 of columns 5 (2); 42:
  //   share Iteration(1) 0 of columns 5 (2); 43: share Iteration(2) 0 of columns 5 (2); 44: share Iteration(3) 0 of
  //   columns 5 (2); 45: share Iteration(0) 0 of columns 6 (2); 46: share Iteration(1) 0 of columns 6 (2); 47: share
  //   Iteration(2) 0 of columns 6 (2); 48: share Iteration(3) 0 of columns 6 (2); 49: share Iteration(0) 0 of columns 7
  //   (2); 50: share Iteration(1) 0 of columns 7 (2); 51: share Iteration(2) 0 of columns 7 (2); 52: share Iteration(3)
  //   0 of columns 7 (2); 53: share Iteration(0) 0 of columns 8 (2); 54: share Iteration(1) 0 of columns 8 (2); 55:
  //   share Iteration(2) 0 of columns 8 (2); 56: share Iteration(3) 0 of columns 8 (2); 57: share Iteration(0) 0 of
  //   columns 9 (2); 58: share Iteration(1) 0 of columns 9 (2); 59: share Iteration(2) 0 of columns 9 (2); 60: share
  //   Iteration(3) 0 of columns 9 (2); 61: scale (2); 62: share Epilogue 0 of columns 0 (2); 63: share Epilogue 1 of
  //   columns 0 (2); 64: share Epilogue 2 of columns 0 (2); 65: share Epilogue 0 of columns 2 (2); 66: share Epilogue 1
  //   of columns 2 (2); 67: share Epilogue 2 of columns 2 (2); 68: share Epilogue 0 of columns 4 (2); 69: share
  //   Epilogue 0 of columns 5 (2); 70: share Epilogue 0 of columns 6 (2); 71: share Epilogue 0 of columns 7 (2); 72:
  //   share Epilogue 0 of columns 8 (2); 73: share Epilogue 0 of columns 9 (2); 74: numerator OH (2); 75: numerator AR
  //   (2); 76: numerator H2 (3); 77: numerator H (3); 78: numerator O (3); 79: numerator O2 (3); 80: numerator H2O (3);
  //   81: numerator HO2 (3); 82: numerator H2O2 (3); 83: numerator N2 (3)
  __shared__ double slots[84][32];
  const int warp_id = threadIdx.x >> 5;
  const int lane = threadIdx.x & 31;
  const double c0 = h2o2_diffusion_reals[0 + threadIdx.x];
  const double c1 = h2o2_diffusion_reals[256 + threadIdx.x];
  const double c2 = h2o2_diffusion_reals[512 + threadIdx.x];
  const int k0 = h2o2_diffusion_indices[0 + threadIdx.x];
  const int k1 = h2o2_diffusion_indices[256 + threadIdx.x];
  const int groups = points / 32 + (points % 32 != 0);
  for (int group = blockIdx.x; group < groups; group += gridDim.x) {
    const bool active = group * 32 + lane < points;
    const int point = min(group * 32 + lane, points - 1);
    const double field = load(temperature, 0, stride, point);
    const double t = select_le(field, 10000.0, field, __longlong_as_double(0x7ff8000000000000LL));
    const double t_2 = singe_log2(select_le(100.0, t, t, __longlong_as_double(0x7ff8000000000000LL)),
        h2o2_diffusion_logarithms) * 0.6931471805599453;
    const double scaled_ln_t = fma(0.667616401390668, t_2, -4.537243573680481);
    // phase 1
    double r0 = -0.0;
    double r1 = -0.0;
    double r2 = -0.0;
    double r3 = -0.0;
    if ((0xfcu >> warp_id) & 1u) { // warps 2 to 7
      // warp 2: mass 5..6; warp 3: mass 7..8; warp 4: mass 6..7; warp 5: mass 4..5; warp 6: mass 0..2; warp 7: mass
      //   2..4
      const int trips = broadcast_index(k0, 1);
      #pragma unroll 4
      for (int i0 = 0; i0 < trips; ++i0) {
        const double field_2 = load(mole_fractions, broadcast_index(k0, 0) + i0, stride, point);
        const double c = broadcast(c0, i0);
        r0 = fma(select_le(field_2, 1e-20, 1e-20, field_2), c, r0);
        r1 = fma(positive(field_2), c, r1);
      }
    }
    if ((0x60u >> warp_id) & 1u) { // warps 5, 6
      // warp 5: mass 8..9; warp 6: mass 9..10
      const double field_3 = load(mole_fractions, broadcast_index(k0, 2), stride, point);
      const double c_2 = broadcast(c0, 2);
      r2 = __dmul_rn(select_le(field_3, 1e-20, 1e-20, field_3), c_2);
      r3 = __dmul_rn(positive(field_3), c_2);
    }
    if ((0xfcu >> warp_id) & 1u) { // warps 2 to 7
      // warp 2: mass 5..6; warp 3: mass 7..8; warp 4: mass 6..7; warp 5: mass 4..5; warp 6: mass 0..2; warp 7: mass
      //   2..4
      const int index = broadcast_index(k0, 3);
      slots[index][lane] = r0;
      slots[index + 1][lane] = r1;
    }
    switch (warp_id) {
    case 5: case 6: {
      // warp 5: mass 8..9; warp 6: mass 9..10
      const int index_2 = broadcast_index(k0, 4);
      slots[index_2][lane] = r2;
      slots[index_2 + 1][lane] = r3;
      break;
    }
    case 3: case 4: case 7: {
      // warp 3: clamp H2O2; warp 4: clamp AR; warp 7: clamp H2, clamp H, clamp O, ... (8)
      #pragma unroll 8
      for (int i1 = 0; i1 < 8; ++i1) {
        const double field_4 = load(mole_fractions, broadcast_index(k0, 12 + i1), stride, point);
        slots[broadcast_index(k0, 4 + i1)][lane] = select_le(field_4, 1e-20, 1e-20, field_4);
      }
      break;
    }
    }
    if ((0x80u >> warp_id) & 1u) { // warp 7
      barrier_arrive<1, 256>();
    }
    if ((0x7fu >> warp_id) & 1u) { // warps 0 to 6
      barrier_sync<1, 256>();
    }
    // phase 2
    r0 = -0.0;
    r1 = -0.0;
    r2 = -0.0;
    r3 = -0.0;
    double r4 = -0.0;
    switch (warp_id) {
    case 0: case 1: {
      // warp 0: columns 0..2; warp 1: columns 2..4
      const int index_3 = broadcast_index(k0, 0);
      const double field_5 = load(mole_fractions, index_3, stride, point);
      const double field_6 = load(mole_fractions, index_3 + 1, stride, point);
      r3 = select_le(field_5, 1e-20, 1e-20, field_5);
      r4 = select_le(field_6, 1e-20, 1e-20, field_6);
      // warp 0: columns 0..2; warp 1: columns 2..4
      #pragma unroll 2
      for (int i2 = 0; i2 < 5; ++i2) {
        const double c_3 = broadcast(c0, 20 + i2);
        const double t_3 = fma(fma(broadcast(c1, i2), scaled_ln_t, broadcast(c0, 25 + i2)), scaled_ln_t, c_3);
        const double t_4 = fma(fma(t_3, scaled_ln_t, broadcast(c0, 15 + i2)), scaled_ln_t, broadcast(c0, 10 + i2));
        const double t_5 = fma(fma(t_4, scaled_ln_t, broadcast(c0, 5 + i2)), scaled_ln_t, broadcast(c0, i2));
        slots[broadcast_index(k0, 2) + i2][lane] = fma(r3, t_5, r2);
        const int index_4 = broadcast_index(k0, 1);
        const double c_4 = broadcast(c1, 25 + i2);
        const double t_6 = fma(fma(broadcast(c2, 5 + i2), scaled_ln_t, broadcast(c2, i2)), scaled_ln_t, c_4);
        const double t_7 = fma(fma(t_6, scaled_ln_t, broadcast(c1, 20 + i2)), scaled_ln_t, broadcast(c1, 15 + i2));
        const double t_8 = fma(fma(t_7, scaled_ln_t, broadcast(c1, 10 + i2)), scaled_ln_t, broadcast(c1, 5 + i2));
        r0 = fma(slots[index_4 + i2][lane], t_5, r0);
        r1 = fma(slots[index_4 + 1 + i2][lane], t_8, r1);
        r2 = __dmul_rn(r4, t_8);
      }
      // warp 0: columns 0..2; warp 1: columns 2..4
      const int index_5 = broadcast_index(k0, 3);
      slots[index_5][lane] = r0;
      slots[index_5 + 1][lane] = r1;
      slots[index_5 + 2][lane] = r2;
      break;
    }
    case 2: case 3: case 4: case 5: case 6: case 7: {
      // warp 2: columns 4..5; warp 3: columns 5..6; warp 4: columns 6..7; warp 5: columns 7..8; warp 6: columns 8..9;
      //   warp 7: columns 9..10
      const double field_7 = load(mole_fractions, broadcast_index(k0, 20), stride, point);
      r1 = select_le(field_7, 1e-20, 1e-20, field_7);
      // warp 2: columns 4..5; warp 3: columns 5..6; warp 4: columns 6..7; warp 5: columns 7..8; warp 6: columns 8..9;
      //   warp 7: columns 9..10
      const int trips_2 = broadcast_index(k0, 27);
      #pragma unroll 4
      for (int i3 = 0; i3 < trips_2; ++i3) {
        const double c_5 = broadcast(c0, 23 + i3);
        const double t_9 = fma(fma(broadcast(c1, 5 + i3), scaled_ln_t, broadcast(c1, i3)), scaled_ln_t, c_5);
        const double t_10 = fma(fma(t_9, scaled_ln_t, broadcast(c0, 18 + i3)), scaled_ln_t, broadcast(c0, 13 + i3));
        const double t_11 = fma(fma(t_10, scaled_ln_t, broadcast(c0, 8 + i3)), scaled_ln_t, broadcast(c0, 3 + i3));
        slots[broadcast_index(k0, 26) + i3][lane] = __dmul_rn(r1, t_11);
        r0 = fma(slots[broadcast_index(k0, 21 + i3)][lane], t_11, r0);
      }
      break;
    }
    }
    if ((0x20u >> warp_id) & 1u) { // warp 5
      // warp 5: scale
      const double s = slots[7][lane];
      const double t_12 = slots[1][lane] + slots[3][lane] + slots[5][lane] + s;
      const double t_13 = t_12 + slots[9][lane] + slots[11][lane] + slots[13][lane];
      const double field_8 = load(temperature, 0, stride, point);
      const double field_9 = load(pressure, 0, stride, point);
      const double t_14 = sqrt(field_8);
      const double t_15 = field_9 * (t_13 + slots[15][lane]);
      slots[61][lane] = 101325.0 * (field_8 * (t_14 * sqrt(t_14))) / t_15;
    }
    if ((0xfcu >> warp_id) & 1u) { // warps 2 to 7
      // warp 2: columns 4..5; warp 3: columns 5..6; warp 4: columns 6..7; warp 5: columns 7..8; warp 6: columns 8..9;
      //   warp 7: columns 9..10
      slots[broadcast_index(k0, 28)][lane] = r0;
    }
    if ((0x20u >> warp_id) & 1u) { // warp 5
      // warp 5: numerators 4..5, numerators 8..9
      #pragma unroll 4
      for (int i4 = 0; i4 < 2; ++i4) {
        const int index_6 = broadcast_index(k0, 5 + i4);
        const double s_2 = slots[index_6 + 2][lane];
        const double t_16 = slots[0][lane] + slots[2][lane] + slots[index_6][lane] + s_2;
        const double t_17 = t_16 + slots[index_6 + 4][lane] + slots[index_6 + 6][lane] + slots[14][lane];
        slots[74 + i4][lane] = __dmul_rn(t_17, slots[61][lane]);
      }
    }
    if ((0x3u >> warp_id) & 1u) { // warps 0, 1
      barrier_arrive<2, 256>();
    }
    if ((0xfcu >> warp_id) & 1u) { // warps 2 to 7
      barrier_sync<2, 256>();
    }
    // phase 3
    r0 = -0.0;
    r1 = -0.0;
    if ((0x18u >> warp_id) & 1u) { // warps 3, 4
      // warp 3: numerators 0..2; warp 4: numerators 2..4
      const double s_3 = slots[8][lane];
      const double t_18 = slots[broadcast_index(k0, 2)][lane] + slots[4][lane] + slots[6][lane] + s_3;
      const double t_19 = t_18 + slots[10][lane] + slots[12][lane] + slots[14][lane];
      const int index_7 = broadcast_index(k0, 30);
      const double field_10 = load(mole_fractions, index_7 + 1, stride, point);
      const double s_4 = slots[61][lane];
      const double t_20 = __dmul_rn(t_19 + __dmul_rn(select_le(field_10, 1e-20, 1e-20, field_10), broadcast(c0, 28)),
          s_4);
      const int index_8 = broadcast_index(k0, 29);
      slots[index_8][lane] = t_20;
      const double field_11 = load(mole_fractions, index_7, stride, point);
      const double t_21 = __dmul_rn(t_19 + __dmul_rn(select_le(field_11, 1e-20, 1e-20, field_11), broadcast(c0, 2)),
          s_4);
      slots[index_8 + 1][lane] = t_21;
    }
    if ((0x1cu >> warp_id) & 1u) { // warps 2 to 4
      // warp 2: numerators 5..6, numerators 9..10; warp 3: numerators 6..7; warp 4: numerators 7..8
      const int trips_3 = broadcast_index(k1, 7);
      #pragma unroll 4
      for (int i5 = 0; i5 < trips_3; ++i5) {
        const double s_5 = slots[broadcast_index(k1, i5)][lane];
        const double t_22 = slots[0][lane] + slots[2][lane] + slots[4][lane] + s_5;
        const int index_9 = broadcast_index(k1, 4 + i5);
        const double t_23 = t_22 + slots[broadcast_index(k1, 2 + i5)][lane] + slots[index_9][lane] +
            slots[index_9 + 2][lane];
        slots[broadcast_index(k0, 31) + i5 * 3][lane] = __dmul_rn(t_23, slots[61][lane]);
      }
    }
    if ((0xfcu >> warp_id) & 1u) { // warps 2 to 7
      // warp 2: row H; warp 3: row O; warp 4: row H2O2; warp 5: row OH; warp 6: row H2O; warp 7: row H2
      const int trips_4 = broadcast_index(k1, 13);
      #pragma unroll 4
      for (int i6 = 0; i6 < trips_4; ++i6) {
        r0 = r0 + slots[broadcast_index(k1, 8 + i6)][lane];
      }
    }
    if ((0x9cu >> warp_id) & 1u) { // warps 2 to 4, 7
      // warp 2: row O2; warp 3: row AR; warp 4: row N2; warp 7: row HO2
      const int trips_5 = broadcast_index(k1, 20);
      #pragma unroll 4
      for (int i7 = 0; i7 < trips_5; ++i7) {
        r1 = r1 + slots[broadcast_index(k1, 14 + i7)][lane];
      }
    }
    switch (warp_id) {
    case 4: case 5: {
      // warp 4: row H2O2; warp 5: row OH
      store(diffusion, broadcast_index(k1, 22), stride, point, active, slots[broadcast_index(k1, 21)][lane] / r0);
      break;
    }
    case 3: {
      // warp 3: row AR
      store(diffusion, 8, stride, point, active, slots[75][lane] / r1);
      break;
    }
    }
    if ((0xdcu >> warp_id) & 1u) { // warps 2 to 4, 6, 7
      barrier_sync<1, 160>();
    }
    // phase 4
    if ((0xccu >> warp_id) & 1u) { // warps 2, 3, 6, 7
      // warp 2: row H; warp 3: row O; warp 6: row H2O; warp 7: row H2
      store(diffusion, broadcast_index(k1, 22), stride, point, active, slots[broadcast_index(k1, 21)][lane] / r0);
    }
    if ((0x94u >> warp_id) & 1u) { // warps 2, 4, 7
      // warp 2: row O2; warp 4: row N2; warp 7: row HO2
      store(diffusion, broadcast_index(k1, 24), stride, point, active, slots[broadcast_index(k1, 23)][lane] / r1);
    }
    barrier_sync<0, 256>();
  }
}

#ifndef __CUDACC_RTC__
#include "h2o2.h"
#include <cuda_runtime.h>

// Finds the CTAs of the kernel that the current device holds at once. Returns a cudaError_t.
extern "C" int h2o2_diffusion_prepare(int multiprocessors, int *ctas)
{
  const int threads = 256;
  const int dynamic_shared_bytes = 0;
  const void *kernel = (const void *)h2o2_diffusion;
  int resident = 0;
  cudaError_t error = cudaSuccess;
  if (error == cudaSuccess) {
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, dynamic_shared_bytes);
  }
  if (error == cudaSuccess && resident == 0) error = cudaErrorLaunchOutOfResources;
  *ctas = multiprocessors * resident;
  return (int)error;
}

// Whether two arrays share numbers. Rows may lie between each other's.
static bool h2o2_diffusion_share(const void *a, int a_rows, const void *b, int b_rows, size_t number, int points,
    int stride)
{
  const long long apart = (long long)((size_t)b - (size_t)a), row = (long long)(number * stride),
      length = (long long)(number * points);
  // Row i + n of b begins apart + n row bytes behind row i of a.
  for (long long n = -apart / row - 1; n <= -apart / row + 1; ++n) {
    const long long distance = apart + n * row;
    if (n > -a_rows && n < b_rows && distance < length && distance > -length) return true;
  }
  return false;
}

// Runs the kernel on all points, on a stream. Returns a singe_status or a cudaError_t.
extern "C" int h2o2_diffusion_launch(const struct h2o2_context *context, const double *temperature,
    const double *pressure, const double *mole_fractions, double *diffusion, int points, int stride,
    struct CUstream_st *stream)
{
  const int threads = 256;
  const int groups_per_cta = 1;
  const int dynamic_shared_bytes = 0;
  if (!context) return SINGE_NULL_POINTER;
  if (points < 0) return SINGE_INVALID_POINTS;
  if (stride < points) return SINGE_INVALID_STRIDE;
  if (points == 0) return SINGE_SUCCESS;
  if (!temperature) return SINGE_NULL_POINTER;
  if (!pressure) return SINGE_NULL_POINTER;
  if (!mole_fractions) return SINGE_NULL_POINTER;
  if (!diffusion) return SINGE_NULL_POINTER;
  if (h2o2_diffusion_share(diffusion, 10, temperature, 1, sizeof *diffusion, points,
      stride)) return SINGE_OVERLAPPING_ARRAYS;
  if (h2o2_diffusion_share(diffusion, 10, pressure, 1, sizeof *diffusion, points,
      stride)) return SINGE_OVERLAPPING_ARRAYS;
  if (h2o2_diffusion_share(diffusion, 10, mole_fractions, 10, sizeof *diffusion, points,
      stride)) return SINGE_OVERLAPPING_ARRAYS;
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return (int)error;
  if (device != context->device) return SINGE_WRONG_DEVICE;

  // As many CTAs as the device holds at once: each streams over its share of the points and loads its constants once.
  const int groups = points / 32 + (points % 32 != 0);
  const int needed = (groups - 1) / groups_per_cta + 1;
  const int most = context->diffusion_ctas;
  const dim3 grid(needed < most ? needed : most), block(threads);
  void *arguments[] = { &temperature, &pressure, &mole_fractions, &diffusion, &points, &stride };
  // The status of this launch alone: an earlier error of the host stays where cudaGetLastError finds it.
  return (int)cudaLaunchKernel((const void *)h2o2_diffusion, grid, block, arguments, dynamic_shared_bytes, stream);
}
#endif
