// h2o2_chemistry: chemistry of h2o2, made by singe 0.2.0
//
// command     singe mechanisms/h2o2/chem.inp --warps 8 --target kepler --codegen overlay --emit cuda,picture --compilers off
// input       mechanisms/h2o2/chem.inp sha256 b672951e65e781496dc3dbac71cc1188a40605a11f20f8f00b734de95f70ecc7
// input       mechanisms/h2o2/therm.dat sha256 c0e83a2f1255ee15ce3ffdf5db49e1813d580f7632d8b60c80df5cc9023ad45b
// input       mechanisms/h2o2/tran.dat sha256 377ed79c9f704d6c49a316134f171ad180a1cfde27eadec992dce85edf624272
// form        log-space, exact to rounding; proven to stay in the range of doubles from 200 to 4000 K
// target      kepler (compute capability 3.5)
// execution   warp-specialized; warps per CTA: 8, CTAs per SM: 1
// barriers    named barriers per CTA: 3
// constants   registers per thread: 2 real, 2 index
// banks       entries: 0 real, 0 index
// slots       62 (15872 bytes of shared memory per CTA)

// Constants.
// Register r of thread t is at [256 * r + t]; the lanes of a warp share theirs by shuffles.
static __device__ const double h2o2_chemistry_reals[512] = {
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 6.0, 0.7, 0.0, -24.226033835218026, -3.5636351474510204e-5, 1.2009396945982998e-7,
  -2.1588295511176145e-11, 1.4445371893327737e-15, 3.371981111012923, -10847.307101905764, -17.184265845832282,
  0.005756728854868235, -4.683505308897733e-6, 2.4233921699617e-9, -5.320744148480377e-13, 1.939459840136706,
  -10893.796144786915, -49.335936970956354, 0.003540602254224646, -4.5718819497661797e-7, 4.462568177080668e-11,
  -2.076819419271236e-15, 4.566133916094435, 18067.304069725837, -48.747628612447876, -0.00039156360454463044,
  4.02357309993964e-6, -2.594095682363999e-9, 6.221293162465749e-13, 4.726431531256401, 17837.61894012408, 2.4, 15.4,
  0.83, 30.897352853986263, -23.991480273013558, 0.0010733483751589146, -1.3668958434406572e-7, 1.213912220855618e-11,
  -4.87151299854126e-16, 2.779553973578312, 2350.225085538694, -27.457112201371736, 0.001015830720729745,
  -9.529534542236731e-7, 6.782488094667251e-10, -1.7635893707487726e-13, 3.31628990850552, 2491.7566429789913,
  -9.841296393969934, -1.6651800618558244e-11, 3.88474368626601e-15, -5.692817344332268e-19, 3.5937342816394426e-23,
  2.1640425757603956, -42859.77114438783, -9.841296291538587, 5.087900800737664e-13, -4.799172277734808e-16,
  2.7661469123836618e-19, -6.692174173243767e-23, 2.164042561333445, -42859.77114438783, 0.63, 0.0, 0.0, 0.0, 2.0, -2.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -9.570698774270324, -6.201721373990694e-5,
  1.0086472271327417e-8, -1.204383448537261e-12, 8.860577842989364e-17, 2.264195576374089, -39893.91237422306,
  -14.376678793274245, -0.002365528513980874, 1.5973192385666998e-6, -7.36744231223923e-10, 1.5239618433514577e-13,
  3.128148192492694, -39756.39482719503, 0.73, 3.65, 0.38, 0.0, -26.007874241292, 0.001069821519581106,
  -1.8225245908757104e-7, 2.5183510909229902e-11, -1.5632884333809796e-15, 3.293006022409406, 6086.600755117224,
  -29.31954331299716, -0.0021616867557472767, 2.3677756293271534e-6, -1.1639297013104725e-9, 2.33985541669492e-13,
  4.014235992061956, 6051.234298053666, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, -2.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -19.96709112297004,
  0.0003956084157746713, 3.041807751368794e-8, -1.0573290212447428e-11, 8.469512629709517e-16, 3.0193986626466573,
  -9417.76955162931, -27.87269828936332, -0.0017321844388518922, 1.110379473872944e-6, -4.666076506849891e-10,
  9.84000756446868e-14, 4.316565823124259, -9066.363029563921, 0.0, 0.0, 0.0, 0.0, -28.37245090498582,
  0.001570314430364861, -3.9451101344127526e-8, -1.1666832783575937e-11, 1.213313685155021e-15, 2.934430878528395,
  33327.09806492549, -38.44311204849791, -0.0014689766885835898, 1.567825298116489e-6, -6.597889998348609e-10,
  1.2782120592112502e-13, 4.614662873498297, 33744.65671353198, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 43.356272060953856, -1.0964482310756123, 0.0, 0.0, -2.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, -38.67173995507176, 0.0016156886970171366, -1.5236257843731247e-7, 1.3735222619880471e-11,
  -7.783955415704657e-16, 4.352915202746126, -1754.1352582451068, -39.1810499831596, -0.003425766304180532,
  5.087493126377501e-6, -2.9186188831724498e-9, 6.702942391321161e-13, 4.763487615044047, -2018.0782304320614,
  39.34856396581859, -1.1541560327111708, 0.0, 33.75533384911383, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  -309.9987229701932, 50.594456169673414, -21351.434291694106, 1000000000000.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  13.233320082730822, 0.0, 2.8853900817779268, 0.0, -2903.9693018285084, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.274261661257048,
  17.720671786825555, 3.8952766104002015, 2.178469511742335, -4544.7119573616155, -2490.1536763179456, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 362.99616272856355, 42.18506523353571, -12581.447000172011, 120000000000.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0,
};

// Rows, slots and numbers of rounds.
// Register r of thread t is at [256 * r + t]; the lanes of a warp share theirs by shuffles.
static __device__ const int h2o2_chemistry_indices[512] = {
  1, 2, 4, 6, 7, 0, 3, 3, 2, 28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 7, 0, 0, 3,
  3, 2, 27, 26, 25, 24, 18, 2, 17, 30, 58, 40, 41, 44, 45, 0, 0, 0, 0, 0, 4, 2, 58, 0, 0, 9, 9, 17, 1, 26, 12, 1, 3, 2,
  30, 22, 24, 0, 25, 33, 1, 57, 59, 55, 43, 47, 0, 0, 0, 0, 0, 0, 3, 3, 0, 1, 2, 42, 47, 19, 2, 2, 0, 3, 3, 2, 31, 18,
  22, 8, 1, 32, 2, 0, 60, 32, 35, 33, 55, 46, 0, 0, 0, 0, 5, 5, 59, 1, 0, 3, 3, 0, 0, 0, 0, 0, 0, 1, 29, 0, 0, 0, 0, 0,
  0, 0, 0, 35, 44, 48, 52, 53, 49, 0, 0, 0, 6, 6, 57, 0, 3, 40, 41, 21, 4, 33, 45, 46, 50, 51, 0, 0, 0, 0, 0, 0, 0, 58,
  59, 32, 34, 0, 0, 0, 0, 0, 0, 0, 2, 11, 0, 2, 1, 6, 5, 0, 0, 9, 8, 7, 37, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 43, 46, 34,
  47, 48, 50, 51, 49, 0, 8, 0, 60, 0, 5, 52, 53, 23, 6, 8, 14, 13, 38, 0, 0, 24, 23, 5, 20, 5, 19, 27, 57, 33, 54, 36,
  37, 39, 38, 45, 50, 51, 9, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 32, 34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  32, 35, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 34, 48, 50, 51, 49,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 54, 36, 37, 39, 38, 55, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 54, 36, 37, 39, 38, 55, 43, 44, 42, 45, 46, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 35, 43, 44, 42, 48, 49, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0,
};

// c and -log2 c by interval of the mantissa
static __device__ const double h2o2_chemistry_logarithms[128] = {
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

// 2^(j/32), j 2^47 less in its bits
static __device__ const double h2o2_chemistry_powers[32] = {
  1.0, 0.9953235743270583, 0.9908868912137069, 0.9866952003384118, 0.9827538663326288, 0.9790683712979462,
  0.9756443173783458, 0.9724874293887887, 0.9696035575013605, 0.9669986799902345, 0.964678906036742, 0.9626504785958666,
  0.9609197773255048, 0.9594933215798707, 0.9583777734684463, 0.957579940981916, 0.9571067811865476, 0.9569654034885233,
  0.9571630729697497, 0.9577072137967114, 0.9586054127039704, 0.9598654225539432, 0.9614951659746271,
  0.9635027390769825, 0.9658964152537145, 0.968684649061239, 0.9718760801866497, 0.9754795375015536, 0.9795040432046712,
  0.98395881705515, 0.9888532806985737, 0.9941970620877001,
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

// 2^x below 1 ulp: 0 for x <= -1021, infinity for x >= 1021. Lane j holds 2^(j/32) in `power`, j 2^47 less in its bits.
static __device__ __forceinline__ double singe_exp2_table(double x, double power)
{
  const double shifted = x + 211106232532992.0;
  const unsigned n = (unsigned)__double2loint(shifted);
  const double r = x - (shifted - 211106232532992.0);
  double q = fma(0.0001540357879001064, r, 0.0013333614003710275);
  q = fma(q, r, 0.009618129107584169);
  q = fma(q, r, 0.055504108664310194);
  q = fma(q, r, 0.24022650695910072);
  q = fma(q, r, 0.6931471805599453);
  const int entry_high = __shfl(__double2hiint(power), (int)n);
  const double entry = __hiloint2double(entry_high, __shfl(__double2loint(power), (int)n));
  const double root = __hiloint2double((int)((unsigned)__double2hiint(entry) + (n << 15)), __double2loint(entry));
  const double p = fma(root, q * r, root);
  const unsigned high = (unsigned)__double2hiint(p);
  const unsigned x_high = (unsigned)__double2hiint(x);
  const unsigned inside = (unsigned)((int)((x_high & 0x7fffffffu) - 0x408fe800u) >> 31);
  const unsigned beyond = ~(unsigned)((int)x_high >> 31) & 0x7ff00000u;
  return __hiloint2double((int)((high & inside) | (beyond & ~inside)), (int)((unsigned)__double2loint(p) & inside));
}

// 2^x below 1 ulp for |x| < 1021; anything beyond. Lane j holds 2^(j/32) in `power`, j 2^47 less in its bits.
static __device__ __forceinline__ double singe_exp2_table_within(double x, double power)
{
  const double shifted = x + 211106232532992.0;
  const unsigned n = (unsigned)__double2loint(shifted);
  const double r = x - (shifted - 211106232532992.0);
  double q = fma(0.0001540357879001064, r, 0.0013333614003710275);
  q = fma(q, r, 0.009618129107584169);
  q = fma(q, r, 0.055504108664310194);
  q = fma(q, r, 0.24022650695910072);
  q = fma(q, r, 0.6931471805599453);
  const int entry_high = __shfl(__double2hiint(power), (int)n);
  const double entry = __hiloint2double(entry_high, __shfl(__double2loint(power), (int)n));
  const double root = __hiloint2double((int)((unsigned)__double2hiint(entry) + (n << 15)), __double2loint(entry));
  return fma(root, q * r, root);
}

// 2^x below 1 ulp for |x| < 1021; anything beyond. Lane j holds 2^(j/32) in `power`, j 2^47 less in its bits.
static __device__ __forceinline__ double singe_exp2_rising_within(double x, double power)
{
  const double shifted = x + 211106232532992.0;
  const unsigned n = (unsigned)__double2loint(shifted);
  const double r = x - (shifted - 211106232532992.0);
  const double z = r * r;
  double odd = fma(0.0013333614003710275, z, 0.055504108664310194);
  odd = fma(odd, z, 0.6931471805599453);
  double even = fma(0.0001540357879001064, z, 0.009618129107584169);
  even = fma(even, z, 0.24022650695910072);
  const double rest = z * even;
  const double q = fma(r, odd, rest);
  const int entry_high = __shfl(__double2hiint(power), (int)n);
  const double entry = __hiloint2double(entry_high, __shfl(__double2loint(power), (int)n));
  const double root = __hiloint2double((int)((unsigned)__double2hiint(entry) + (n << 15)), __double2loint(entry));
  return fma(root, q, root);
}

// 2^-x below 1 ulp for |x| < 1021; anything beyond. Lane j holds 2^(j/32) in `power`, j 2^47 less in its bits.
static __device__ __forceinline__ double singe_exp2_falling_within(double x, double power)
{
  const double shifted = x + 211106232532992.0;
  const unsigned n = (unsigned)__double2loint(shifted);
  const double r = x - (shifted - 211106232532992.0);
  const double z = r * r;
  double odd = fma(0.0013333614003710275, z, 0.055504108664310194);
  odd = fma(odd, z, 0.6931471805599453);
  double even = fma(0.0001540357879001064, z, 0.009618129107584169);
  even = fma(even, z, 0.24022650695910072);
  const double rest = z * even;
  const unsigned minus_n = 0u - n;
  const double q = fma(-r, odd, rest);
  const int entry_high = __shfl(__double2hiint(power), (int)minus_n);
  const double entry = __hiloint2double(entry_high, __shfl(__double2loint(power), (int)minus_n));
  const double root = __hiloint2double((int)((unsigned)__double2hiint(entry) + (minus_n << 15)), __double2loint(entry));
  return fma(root, q, root);
}

// log2 x below 1 ulp for positive normal x; not a number for any other. The table has pairs c, -log2 c; next to 1, c is
// 1 and the largest term, the product of f and log2 e, is rounded once.
static __device__ __forceinline__ double singe_log2(double x, const double *table)
{
  const unsigned high = (unsigned)__double2hiint(x);
  const unsigned above = high - 0x3fe61556u;
  const bool near = (above - 0x98000u) < 0xc000u;
  const unsigned exponent = (unsigned)((int)above >> 20);
  const unsigned m_high = ((high - 0x100000u) < 0x7fe00000u) ? (high - (exponent << 20)) : 0x7ff80000u;
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
  const double rest = fma(near ? f : (double)(int)exponent, near ? p : 1.0, __ldg(table + 2 * entry + 1));
  return fma(f, near ? 1.4426950408889634 : p, rest);
}

// max(x, 0) without a double-precision instruction; what is not a number stays so.
static __device__ __forceinline__ double positive(double x)
{
  return (__double2hiint(x) < -1048576) ? 0.0 : x;
}

extern "C" __global__ void __launch_bounds__(256, 1)
h2o2_chemistry(const double *__restrict__ temperature, const double *__restrict__ pressure,
    const double *__restrict__ mole_fractions, double *__restrict__ production_rates, int points, int stride)
{
  // Slots, what they hold, and the phase that stores it: 0: concentration H2 (1); 1: equilibrium H2 (1); 2: activity H2
  //   (1); 3: concentration O2 (1); 4: equilibrium O2 (1); 5: activity O2 (1); 6: concentration H2O (1); 7: equilibrium
  //   H2O (1); 8: activity H2O (1); 9: concentration N2 (1); 10: equilibrium N2 (1); 11: activity N2 (1); 12:
  //   concentration AR (1); 13: equilibrium AR (1); 14: activity AR (1); 15: total (1); 16: power 1 (1); 17:
  //   equilibrium H (1); 18: activity H (1); 19: equilibrium O (1); 20: activity O (1); 21: equilibrium OH (1); 22:
  //   activity OH (1); 23: equilibrium HO2 (1); 24: activity HO2 (1); 25: equilibrium H2O2 (1); 26: activity H2O2 (1);
  //   27: third_body 1 (2); 28: third_body 2 (2); 29: third_body 3 (2); 30: third_body 4 (2); 31: third_body 5 (2); 32:
  //   progress 3 (2); 33: progress 5 (2); 34: progress 21 (2); 35: progress 4 (2); 36: progress 7 (2); 37: progress 8
  //   (2); 38: progress 10 (2); 39: progress 9 (2); 40: progress 13 (2); 41: progress 14 (2); 42: progress 18 (2); 43:
  //   progress 16 (2); 44: progress 17 (2); 45: progress 19 (2); 46: progress 20 (2); 47: progress 23 (2); 48: progress
  //   24 (2); 49: progress 29 (2); 50: progress 25 (2); 51: progress 26 (2); 52: progress 27 (2); 53: progress 28 (2);
  //   54: progress 6 (2); 55: progress 11 (2); 56: log collider 1 (3); 57: progress 1 (3); 58: progress 12 (3); 59:
  //   progress 2 (3); 60: progress 15 (3); 61: progress 22 (4)
  __shared__ double slots[62][32];
  const int warp_id = threadIdx.x >> 5;
  const int lane = threadIdx.x & 31;
  const double c0 = h2o2_chemistry_reals[0 + threadIdx.x];
  const double c1 = h2o2_chemistry_reals[256 + threadIdx.x];
  const int k0 = h2o2_chemistry_indices[0 + threadIdx.x];
  const int k1 = h2o2_chemistry_indices[256 + threadIdx.x];
  const double power = h2o2_chemistry_powers[threadIdx.x & 31];
  const int groups = points / 32 + (points % 32 != 0);
  for (int group = blockIdx.x; group < groups; group += gridDim.x) {
    const bool active = group * 32 + lane < points;
    const int point = min(group * 32 + lane, points - 1);
    const double field = load(temperature, 0, stride, point);
    const double t = select_le(field, 10000.0, field, __longlong_as_double(0x7ff8000000000000LL));
    const double t_2 = select_le(100.0, t, t, __longlong_as_double(0x7ff8000000000000LL));
    const double t_3 = __dmul_rn(singe_log2(t_2, h2o2_chemistry_logarithms), 0.6931471805599453);
    const double t_4 = 1.0 / t_2;
    const double field_2 = load(pressure, 0, stride, point);
    const double temperature_2 = t_2;
    const double ln_t = t_3;
    const double inverse_t = t_4;
    const double concentration = fma(field_2 * 0.00012027235504272603, t_4, t_3 - t_3);
    // phase 1
    double r0 = -0.0;
    switch (warp_id) {
    case 0: {
      // warp 0: total
      #pragma unroll 4
      for (int i0 = 0; i0 < 5; ++i0) {
        const double field_3 = load(mole_fractions, broadcast_index(k0, i0), stride, point);
        r0 = r0 + positive(field_3);
      }
      // warp 0: total
      slots[15][lane] = __dmul_rn(r0, concentration);
      // warp 0: power 1
      slots[16][lane] = singe_exp2_table_within(__dmul_rn(-1.7889418507023145, ln_t), power);
      // warp 0: third body 2
      r0 = slots[15][lane];
      break;
    }
    case 1: case 2: case 4: case 6: {
      // warp 1: species H2; warp 2: species N2; warp 4: species O2; warp 6: species H2O
      const double field_4 = load(mole_fractions, broadcast_index(k0, 1), stride, point);
      const double t_5 = __dmul_rn(positive(field_4), concentration);
      const int index = broadcast_index(k0, 0);
      slots[index][lane] = t_5;
      const double t_6 = select_le(temperature_2, 1000.0, broadcast(c0, 7), broadcast(c0, 0));
      const double t_7 = select_le(temperature_2, 1000.0, broadcast(c0, 8), broadcast(c0, 1));
      const double t_8 = select_le(temperature_2, 1000.0, broadcast(c0, 9), broadcast(c0, 2));
      const double t_9 = select_le(temperature_2, 1000.0, broadcast(c0, 10), broadcast(c0, 3));
      const double t_10 = fma(select_le(temperature_2, 1000.0, broadcast(c0, 11), broadcast(c0, 4)), temperature_2,
          t_9);
      const double t_11 = fma(fma(fma(t_10, temperature_2, t_8), temperature_2, t_7), temperature_2, t_6);
      const double t_12 = fma(select_le(temperature_2, 1000.0, broadcast(c0, 12), broadcast(c0, 5)), ln_t, t_11);
      const double t_13 = fma(select_le(temperature_2, 1000.0, broadcast(c0, 13), broadcast(c0, 6)), inverse_t, t_12);
      slots[index + 1][lane] = singe_exp2_rising_within(t_13, power);
      slots[index + 2][lane] = __dmul_rn(t_5, singe_exp2_falling_within(t_13, power));
      break;
    }
    case 3: {
      // warp 3: species AR
      const double field_5 = load(mole_fractions, 8, stride, point);
      const double t_14 = __dmul_rn(positive(field_5), concentration);
      slots[12][lane] = t_14;
      const double t_15 = fma(fma(fma(0.0, temperature_2, 0.0), temperature_2, 0.0), temperature_2, 0.0);
      const double t_16 = fma(2.164042561333445, ln_t, fma(t_15, temperature_2, -17.1731438471304));
      const double t_17 = fma(1448.9814115142194, inverse_t, t_16);
      slots[13][lane] = singe_exp2_rising_within(t_17, power);
      slots[14][lane] = __dmul_rn(t_14, singe_exp2_falling_within(t_17, power));
      break;
    }
    }
    if ((0xaeu >> warp_id) & 1u) { // warps 1 to 3, 5, 7
      // warp 1: species H2O2; warp 2: species H; warp 3: species O; warp 5: species OH; warp 7: species HO2
      const double t_18 = select_le(temperature_2, 1000.0, broadcast(c0, 21), broadcast(c0, 14));
      const double t_19 = select_le(temperature_2, 1000.0, broadcast(c0, 22), broadcast(c0, 15));
      const double t_20 = select_le(temperature_2, 1000.0, broadcast(c0, 23), broadcast(c0, 16));
      const double t_21 = select_le(temperature_2, 1000.0, broadcast(c0, 24), broadcast(c0, 17));
      const double t_22 = fma(select_le(temperature_2, 1000.0, broadcast(c0, 25), broadcast(c0, 18)), temperature_2,
          t_21);
      const double t_23 = fma(fma(fma(t_22, temperature_2, t_20), temperature_2, t_19), temperature_2, t_18);
      const double t_24 = fma(select_le(temperature_2, 1000.0, broadcast(c0, 26), broadcast(c0, 19)), ln_t, t_23);
      const double t_25 = fma(select_le(temperature_2, 1000.0, broadcast(c0, 27), broadcast(c0, 20)), inverse_t, t_24);
      const int index_2 = broadcast_index(k0, 2);
      slots[index_2][lane] = singe_exp2_rising_within(t_25, power);
      const double field_6 = load(mole_fractions, broadcast_index(k0, 3), stride, point);
      slots[index_2 + 1][lane] = __dmul_rn(positive(field_6) * concentration, singe_exp2_falling_within(t_25, power));
    }
    if ((0xc0u >> warp_id) & 1u) { // warps 6, 7
      // warp 6: production N2; warp 7: production AR
      store(production_rates, broadcast_index(k0, 4), stride, point, active, 0.0);
    }
    barrier_sync<0, 256>();
    // phase 2
    if ((0x1eu >> warp_id) & 1u) { // warps 1 to 4
      // warp 1: third body 1; warp 2: third body 4; warp 3: third body 5; warp 4: third body 3
      r0 = slots[15][lane];
    }
    if ((0xfu >> warp_id) & 1u) { // warps 0 to 3
      // warp 0: third body 2; warp 1: third body 1; warp 2: third body 4; warp 3: third body 5
      const int trips = broadcast_index(k0, 6);
      #pragma unroll 4
      for (int i1 = 0; i1 < trips; ++i1) {
        r0 = fma(broadcast(c0, 28 + i1), slots[broadcast_index(k0, 5) + i1 * 6][lane], r0);
      }
    }
    if ((0x1fu >> warp_id) & 1u) { // warps 0 to 4
      // warp 0: third body 2; warp 1: third body 1; warp 2: third body 4; warp 3: third body 5; warp 4: third body 3
      const int trips_2 = broadcast_index(k0, 8);
      #pragma unroll 4
      for (int i2 = 0; i2 < trips_2; ++i2) {
        r0 = r0 + slots[broadcast_index(k0, 7) + i2 * 6][lane];
      }
      // warp 0: third body 2; warp 1: third body 1; warp 2: third body 4; warp 3: third body 5; warp 4: third body 3
      slots[broadcast_index(k0, 9)][lane] = r0;
    }
    switch (warp_id) {
    case 0: {
      // warp 0: reaction 13 2H+H2<=>2H2
      const double s = slots[18][lane];
      const double s_2 = slots[2][lane];
      const double t_26 = fma(-s_2, s_2, s * s * s_2);
      const double s_3 = slots[17][lane];
      const double t_27 = singe_exp2_table_within(fma(-0.865617024533378, ln_t, 36.38920595031593), power) * s_3 * s_3;
      slots[40][lane] = __dmul_rn(t_27 * slots[1][lane], t_26);
      break;
    }
    case 1: {
      // warp 1: reaction 7 H+2O2<=>HO2+O2
      const double s_4 = slots[5][lane];
      const double t_28 = fma(-slots[24][lane], s_4, slots[18][lane] * s_4 * s_4);
      const double s_5 = slots[4][lane];
      const double t_29 = 20800000000000.0 * slots[16][lane] * slots[17][lane] * s_5;
      slots[36][lane] = __dmul_rn(t_29 * s_5, t_28);
      break;
    }
    case 2: case 3: {
      // warp 2: reaction 5 O+H2O2<=>OH+HO2; warp 3: reaction 3 O+H2<=>H+OH, reaction 21 OH+H2<=>H+H2O
      const int trips_3 = broadcast_index(k0, 15);
      #pragma unroll 4
      for (int i3 = 0; i3 < trips_3; ++i3) {
        const double t_30 = fma(broadcast(c1, 2 + i3), ln_t, broadcast(c1, i3));
        const double t_31 = slots[20 + i3 * 2][lane] * slots[broadcast_index(k0, 4)][lane];
        const double s_6 = slots[broadcast_index(k0, 13)][lane];
        const double t_32 = singe_exp2_table_within(fma(broadcast(c1, 4 + i3), inverse_t, t_30), power) *
            slots[19 + i3 * 2][lane] * s_6;
        slots[broadcast_index(k0, 14) + i3 * 2][lane] = __dmul_rn(t_32,
            fma(-slots[broadcast_index(k0, 10)][lane], slots[broadcast_index(k0, 11 + i3)][lane], t_31));
      }
      break;
    }
    }
    switch (warp_id) {
    case 2: {
      // warp 2: reaction 9 H+O2+N2<=>HO2+N2
      const double s_7 = slots[11][lane];
      const double t_33 = slots[18][lane] * slots[5][lane] * s_7;
      const double s_8 = slots[4][lane];
      const double t_34 = 26000000000000.0 * slots[16][lane] * slots[17][lane] * s_8;
      slots[39][lane] = __dmul_rn(t_34 * slots[10][lane], fma(-slots[24][lane], s_7, t_33));
      // warp 2: reaction 23 2OH<=>O+H2O
      const double t_35 = fma(3.462468098133512, ln_t, 5.157852169141737);
      const double s_9 = slots[22][lane];
      const double t_36 = fma(-slots[20][lane], slots[8][lane], s_9 * s_9);
      const double s_10 = slots[21][lane];
      slots[47][lane] = __dmul_rn(singe_exp2_table_within(fma(1531.843806714538, inverse_t, t_35), power) * s_10 *
          s_10, t_36);
      break;
    }
    case 4: {
      // warp 4: reaction 17 H+HO2<=>O2+H2
      const double t_37 = slots[18][lane] * slots[24][lane];
      const double s_11 = slots[17][lane];
      const double s_12 = slots[23][lane];
      const double t_38 = singe_exp2_table_within(fma(-775.3598035882115, inverse_t, 35.3827796811565), power) * s_11 *
          s_12;
      slots[44][lane] = __dmul_rn(t_38, fma(-slots[5][lane], slots[2][lane], t_37));
      // warp 4: reaction 27 2HO2<=>O2+H2O2 and 28 2HO2<=>O2+H2O2
      const double s_13 = slots[24][lane];
      const double s_14 = slots[23][lane];
      const double t_39 = s_14 * s_14;
      const double t_40 = fma(-slots[5][lane], slots[26][lane], s_13 * s_13);
      slots[52][lane] = __dmul_rn(singe_exp2_table_within(fma(1183.367490495117, inverse_t, 26.95393638235263),
          power) * t_39, t_40);
      const double t_41 = __dmul_rn(singe_exp2_table_within(fma(-8711.907905485525, inverse_t, 38.611598371652384),
          power) * t_39, t_40);
      slots[53][lane] = t_41;
      // warp 4: reaction 6 H+O2+M<=>HO2+M and 11 H+O2<=>O+OH
      const double t_42 = __dmul_rn(slots[18][lane], slots[5][lane]);
      const double t_43 = slots[17][lane] * slots[4][lane];
      const double t_44 = t_42 - slots[24][lane];
      const double t_45 = singe_exp2_table_within(fma(-1.2407177351645085, ln_t, 41.34856396581859), power) * t_43 *
          t_44;
      slots[54][lane] = __dmul_rn(t_45, slots[29][lane]);
      const double t_46 = fma(-0.9676155639242277, ln_t, 44.591057593211545);
      const double t_47 = fma(-slots[20][lane], slots[22][lane], t_42);
      slots[55][lane] = __dmul_rn(singe_exp2_table_within(fma(-12371.635218114903, inverse_t, t_46), power) * t_43,
          t_47);
      break;
    }
    case 5: {
      // warp 5: reaction 14 2H+H2O<=>H2+H2O
      const double s_15 = slots[18][lane];
      const double s_16 = slots[8][lane];
      const double t_48 = fma(-slots[2][lane], s_16, s_15 * s_15 * s_16);
      const double s_17 = slots[17][lane];
      const double t_49 = singe_exp2_table_within(fma(-1.8033688011112043, ln_t, 45.770027734256864), power) * s_17 *
          s_17;
      slots[41][lane] = __dmul_rn(t_49 * slots[7][lane], t_48);
      // warp 5: reaction 19 H+H2O2<=>HO2+H2 and 20 H+H2O2<=>OH+H2O
      const double t_50 = fma(2.8853900817779268, ln_t, 13.56271942704932);
      const double t_51 = slots[18][lane] * slots[26][lane];
      const double t_52 = slots[17][lane] * slots[25][lane];
      const double t_53 = fma(-slots[24][lane], slots[2][lane], t_51);
      slots[45][lane] = __dmul_rn(singe_exp2_table_within(fma(-3775.16009237706, inverse_t, t_50), power) * t_52, t_53);
      const double t_54 = fma(-slots[22][lane], slots[8][lane], t_51);
      const double t_55 = __dmul_rn(singe_exp2_table_within(fma(-2613.5723716456573, inverse_t, 33.219280948873624),
          power) * t_52, t_54);
      slots[46][lane] = t_55;
      break;
    }
    case 6: {
      // warp 6: reaction 4 O+HO2<=>OH+O2
      const double t_56 = slots[20][lane] * slots[24][lane];
      const double t_57 = fma(-slots[22][lane], slots[5][lane], t_56);
      slots[35][lane] = __dmul_rn(20000000000.0 * slots[19][lane] * slots[23][lane], t_57);
      break;
    }
    }
    if ((0xc0u >> warp_id) & 1u) { // warps 6, 7
      // warp 6: reaction 8 H+O2+H2O<=>HO2+H2O; warp 7: reaction 10 H+O2+AR<=>HO2+AR
      const double s_18 = slots[broadcast_index(k0, 5)][lane];
      const double t_58 = slots[18][lane] * slots[5][lane] * s_18;
      const double t_59 = fma(-slots[24][lane], s_18, t_58);
      const double t_60 = singe_exp2_table_within(fma(broadcast(c0, 29), ln_t, broadcast(c0, 28)), power) *
          slots[17][lane];
      slots[broadcast_index(k0, 7)][lane] = __dmul_rn(t_60 * slots[4][lane] * slots[broadcast_index(k0, 6)][lane],
          t_59);
    }
    switch (warp_id) {
    case 1: case 7: {
      // warp 1: reaction 25 OH+H2O2<=>HO2+H2O and 26 OH+H2O2<=>HO2+H2O; warp 7: reaction 24 OH+HO2<=>O2+H2O and 29
      //   OH+HO2<=>O2+H2O
      const int index_3 = broadcast_index(k0, 10);
      const double t_61 = slots[22][lane] * slots[index_3][lane];
      const double t_62 = slots[21][lane] * slots[broadcast_index(k0, 11)][lane];
      const double t_63 = fma(-slots[broadcast_index(k0, 12)][lane], slots[8][lane], t_61);
      const double t_64 = __dmul_rn(singe_exp2_table_within(fma(broadcast(c1, 0), inverse_t, broadcast(c0, 31)),
          power) * t_62, t_63);
      slots[index_3 + 24][lane] = t_64;
      const double t_65 = __dmul_rn(singe_exp2_table_within(fma(broadcast(c1, 2), inverse_t, broadcast(c1, 1)),
          power) * t_62, t_63);
      slots[index_3 + 25][lane] = t_65;
      break;
    }
    case 6: {
      // warp 6: reaction 18 H+HO2<=>2OH and 16 H+HO2<=>O+H2O
      const double t_66 = slots[18][lane] * slots[24][lane];
      const double t_67 = slots[17][lane] * slots[23][lane];
      const double s_19 = slots[22][lane];
      const double t_68 = fma(-s_19, s_19, t_66);
      const double t_69 = __dmul_rn(singe_exp2_table_within(fma(-461.00512666527567, inverse_t, 36.28967027676502),
          power) * t_67, t_68);
      slots[42][lane] = t_69;
      const double t_70 = fma(-slots[20][lane], slots[8][lane], t_66);
      const double t_71 = __dmul_rn(singe_exp2_table_within(fma(-487.1408503817322, inverse_t, 31.886491861354493),
          power) * t_67, t_70);
      slots[43][lane] = t_71;
      break;
    }
    }
    if ((0x1u >> warp_id) & 1u) { // warp 0
      barrier_arrive<1, 256>();
    }
    if ((0xfeu >> warp_id) & 1u) { // warps 1 to 7
      barrier_sync<1, 256>();
    }
    // phase 3
    r0 = -0.0;
    double r1 = -0.0;
    switch (warp_id) {
    case 1: case 7: {
      // warp 1: reaction 12 2H+M<=>H2+M; warp 7: reaction 1 2O+M<=>O2+M
      const double s_20 = slots[broadcast_index(k0, 13)][lane];
      const double t_72 = __dmul_rn(s_20, s_20) - slots[broadcast_index(k0, 14)][lane];
      const double s_21 = slots[broadcast_index(k0, 15)][lane];
      const double s_22 = slots[broadcast_index(k0, 16)][lane];
      const double t_73 = __dmul_rn(broadcast(c1, 3) * inverse_t * s_21 * s_21 * t_72, s_22);
      slots[broadcast_index(k0, 17)][lane] = t_73;
      break;
    }
    case 5: {
      // warp 5: reaction 15 H+OH+M<=>H2O+M
      const double s_23 = slots[21][lane];
      const double t_74 = 2.2e16 * inverse_t * inverse_t * slots[17][lane] * s_23;
      const double t_75 = t_74 * (__dmul_rn(slots[18][lane], slots[22][lane]) - slots[8][lane]);
      slots[60][lane] = __dmul_rn(t_75, slots[31][lane]);
      break;
    }
    case 6: {
      // warp 6: log collider 1
      const double s_24 = slots[28][lane];
      slots[56][lane] = singe_log2(select_le(s_24, 1e-300, 1e-300, s_24), h2o2_chemistry_logarithms);
      break;
    }
    }
    if ((0x80u >> warp_id) & 1u) { // warp 7
      // warp 7: reaction 2 O+H+M<=>OH+M
      const double t_76 = __dmul_rn(slots[20][lane], slots[18][lane]) - slots[22][lane];
      const double s_25 = slots[17][lane];
      const double t_77 = 500000000000.0 * inverse_t * slots[19][lane] * s_25 * t_76;
      slots[59][lane] = __dmul_rn(t_77, slots[28][lane]);
    }
    if ((0xa8u >> warp_id) & 1u) { // warps 3, 5, 7
      // warp 3: production OH; warp 5: production H; warp 7: production HO2
      #pragma unroll 4
      for (int i4 = 0; i4 < 2; ++i4) {
        r0 = fma(broadcast(c0, i4), slots[broadcast_index(k0, i4)][lane], r0);
      }
    }
    if ((0xfeu >> warp_id) & 1u) { // warps 1 to 7
      // warp 1: production H2; warp 2: production O; warp 3: production OH; warp 4: production O2; warp 5: production
      //   H; warp 6: production H2O; warp 7: production HO2
      const int trips_4 = broadcast_index(k0, 27);
      #pragma unroll 4
      for (int i5 = 0; i5 < trips_4; ++i5) {
        r0 = r0 + slots[broadcast_index(k0, 18 + i5)][lane];
      }
    }
    if ((0xbeu >> warp_id) & 1u) { // warps 1 to 5, 7
      // warp 1: production H2; warp 2: production O; warp 3: production OH; warp 4: production O2; warp 5: production
      //   H; warp 7: production HO2
      const int trips_5 = broadcast_index(k0, 28);
      #pragma unroll 4
      for (int i6 = 0; i6 < trips_5; ++i6) {
        r0 = r0 - slots[broadcast_index(k1, i6)][lane];
      }
    }
    switch (warp_id) {
    case 5: {
      // warp 5: production H2O2
      #pragma unroll 4
      for (int i7 = 0; i7 < 2; ++i7) {
        r1 = r1 + slots[52 + i7][lane];
      }
      // warp 5: production H2O2
      #pragma unroll 4
      for (int i8 = 0; i8 < 5; ++i8) {
        r1 = r1 - slots[broadcast_index(k0, 4 + i8)][lane];
      }
      break;
    }
    case 7: {
      // warp 7: production HO2
      store(production_rates, 6, stride, point, active, r0);
      break;
    }
    }
    if ((0x82u >> warp_id) & 1u) { // warps 1, 7
      barrier_arrive<2, 256>();
    }
    if ((0x7du >> warp_id) & 1u) { // warps 0, 2 to 6
      barrier_sync<2, 256>();
    }
    // phase 4
    switch (warp_id) {
    case 0: {
      // warp 0: reaction 22 2OH(+M)<=>H2O2(+M)
      const double t_78 = fma(-0.7646283716711506, ln_t, 4.9579647802027935);
      const double t_79 = fma(1234.186953277116, inverse_t, t_78);
      const double t_80 = __dmul_rn(singe_exp2_table_within(t_79, power), slots[28][lane]);
      const double t_81 = 1.0 + t_80;
      const double t_82 = 0.26539999999999997 *
          singe_exp2_table_within(__dmul_rn(-0.015347819583925141, temperature_2), power);
      const double e = singe_exp2_table_within(__dmul_rn(-7476.045701886608, inverse_t), power);
      const double t_83 = fma(0.7346, singe_exp2_table_within(__dmul_rn(-0.0008215803194128493, temperature_2), power),
          t_82) + e;
      const double l = singe_log2(select_le(t_83, 1e-300, 1e-300, t_83), h2o2_chemistry_logarithms);
      const double t_84 = fma(-0.5337971651289164, ln_t, 36.10680621961521);
      const double t_85 = t_79 + slots[56][lane] + fma(-0.67, l, -1.328771237954945);
      const double t_86 = fma(-0.14, t_85, fma(-1.27, l, 2.4914460711655217));
      const double t_87 = t_86 * t_86;
      const double t_88 = fma(t_85, t_85, t_87);
      const double t_89 = 1.0 / (t_88 * t_81);
      const double t_90 = singe_exp2_table(fma(l * t_87, t_89 * t_81, t_84), power) * (t_80 * (t_89 * t_88));
      const double s_26 = slots[22][lane];
      const double s_27 = slots[21][lane];
      slots[61][lane] = __dmul_rn(t_90 * s_27 * s_27, __dmul_rn(s_26, s_26) - slots[26][lane]);
      break;
    }
    case 1: case 3: case 4: case 6: {
      // warp 1: production H2; warp 3: production OH; warp 4: production O2; warp 6: production H2O
      r0 = r0 + slots[broadcast_index(k0, 29)][lane];
      break;
    }
    case 2: case 5: {
      // warp 2: production O; warp 5: production H
      r0 = fma(-2.0, slots[broadcast_index(k0, 16)][lane], r0);
      break;
    }
    }
    if ((0x2cu >> warp_id) & 1u) { // warps 2, 3, 5
      // warp 2: production O; warp 3: production OH; warp 5: production H
      const int trips_6 = broadcast_index(k0, 30);
      #pragma unroll 4
      for (int i9 = 0; i9 < trips_6; ++i9) {
        r0 = r0 - slots[broadcast_index(k0, 17) + i9][lane];
      }
    }
    if ((0x76u >> warp_id) & 1u) { // warps 1, 2, 4 to 6
      // warp 1: production H2; warp 2: production O; warp 4: production O2; warp 5: production H; warp 6: production
      //   H2O
      store(production_rates, broadcast_index(k0, 31), stride, point, active, r0);
    }
    if ((0x1u >> warp_id) & 1u) { // warp 0
      barrier_arrive<1, 96>();
    }
    if ((0x28u >> warp_id) & 1u) { // warps 3, 5
      barrier_sync<1, 96>();
    }
    // phase 5
    switch (warp_id) {
    case 3: {
      // warp 3: production OH
      r0 = fma(-2.0, slots[61][lane], r0);
      // warp 3: production OH
      store(production_rates, 4, stride, point, active, r0);
      break;
    }
    case 5: {
      // warp 5: production H2O2
      r1 = r1 + slots[61][lane];
      // warp 5: production H2O2
      store(production_rates, 7, stride, point, active, r1);
      break;
    }
    }
    barrier_sync<0, 256>();
  }
}

#ifndef __CUDACC_RTC__
#include "h2o2.h"
#include <cuda_runtime.h>

// Finds the CTAs of the kernel that the current device holds at once. Returns a cudaError_t.
extern "C" int h2o2_chemistry_prepare(int multiprocessors, int *ctas)
{
  const int threads = 256;
  const int dynamic_shared_bytes = 0;
  const void *kernel = (const void *)h2o2_chemistry;
  int resident = 0;
  cudaError_t error = cudaSuccess;
  if (error == cudaSuccess) {
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, dynamic_shared_bytes);
  }
  if (error == cudaSuccess && resident == 0) error = cudaErrorLaunchOutOfResources;
  *ctas = multiprocessors * resident;
  return (int)error;
}

// Runs the kernel on all points, on a stream. Returns a singe_status or a cudaError_t.
extern "C" int h2o2_chemistry_launch(const struct h2o2_context *context, const double *temperature,
    const double *pressure, const double *mole_fractions, double *production_rates, int points, int stride,
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
  if (!production_rates) return SINGE_NULL_POINTER;
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return (int)error;
  if (device != context->device) return SINGE_WRONG_DEVICE;

  // As many CTAs as the device holds at once: each streams over its share of the points and loads its constants once.
  const int groups = points / 32 + (points % 32 != 0);
  const int needed = (groups - 1) / groups_per_cta + 1;
  const int most = context->chemistry_ctas;
  const dim3 grid(needed < most ? needed : most), block(threads);
  void *arguments[] = { &temperature, &pressure, &mole_fractions, &production_rates, &points, &stride };
  // The status of this launch alone: an earlier error of the host stays where cudaGetLastError finds it.
  return (int)cudaLaunchKernel((const void *)h2o2_chemistry, grid, block, arguments, dynamic_shared_bytes, stream);
}
#endif
