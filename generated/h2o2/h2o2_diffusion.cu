// h2o2_diffusion: diffusion of h2o2, made by singe 0.1.0
//
// command     singe mechanisms/h2o2/chem.inp --warps 8 --target kepler --emit cuda,picture --compilers off
// input       mechanisms/h2o2/chem.inp sha256 b672951e65e781496dc3dbac71cc1188a40605a11f20f8f00b734de95f70ecc7
// input       mechanisms/h2o2/therm.dat sha256 c0e83a2f1255ee15ce3ffdf5db49e1813d580f7632d8b60c80df5cc9023ad45b
// input       mechanisms/h2o2/tran.dat sha256 377ed79c9f704d6c49a316134f171ad180a1cfde27eadec992dce85edf624272
// form        polynomial, relative error at most 2.5e-5, rounding aside
// target      kepler (compute capability 3.5)
// execution   warp-specialized; warps per CTA: 8, CTAs per SM: 1
// barriers    named barriers per CTA: 3
// constants   registers per thread: 2 real, 2 index
// banks       entries: 0 real, 0 index
// slots       84 (21504 bytes of shared memory per CTA)

// Constants.
// Register r of thread t is at [256 * r + t]; the lanes of a warp share theirs by shuffles.
static __device__ const double h2o2_diffusion_reals[512] = {
  107706400.22812058, 218246523.90522522, 290910799.9604917, 218973924.1103175, 246883235.62850228, 10848167.697153937,
  23070743.32225554, 30144772.84848775, 23147636.47557571, 14492842.913147703, 2317593.6698895125, 3286196.752265891,
  5211061.7945418935, 3297149.413270251, 14480726.65330765, -763117.1565938041, -922890.8474306822, -1610110.568125881,
  -925966.7772543151, -5083832.270121385, -68480.04011990593, -99804.47177700358, -160959.56783147238,
  -100137.11301298844, 174331.18819936458, -18558.157356583277, -16041.65241336964, -32858.67920983904,
  -16095.118103725878, -333533.41208261275, 0.0, 0.0, 694272992.3964145, 467625053.92133665, 538493198.540574,
  697834042.2804345, 701234542.9708483, 65632532.25843738, 46254333.65718009, 18796846.891390335, 65969173.21083854,
  66290636.77589553, 19786137.869284533, 11068250.421955975, 39788826.460962884, 19887624.49592315, 19984535.61910253,
  -6911732.272654082, -3738260.6851677713, -13574474.257519742, -6947183.779016893, -6981036.961589504,
  -479381.60045782314, -312504.6948656216, 1291731.4832006372, -481840.43410317, -484188.4117477692, -221171.1735157091,
  -99701.63194782093, -1112648.2552473296, -222305.59987356278, -223388.8808506439, 0.0, 0.0, 17.007, 0.0, 0.0,
  547149542.9628999, 712194035.1921661, 715809912.1036905, 718605724.0594556, 722548070.9521589, 19099008.517928816,
  67326683.45296542, 67668507.43378718, 64660405.30496314, 69438731.63472983, 40428436.74190654, 20296871.006539337,
  20399920.152730227, 23797919.81118785, 19373882.37978124, -13792685.60143894, -7090142.5683265105, -7126139.897066582,
  -8433933.455010438, -6705162.568849, 1312496.2257270901, -491755.72169144853, -494252.41230153514, -464825.3502470555,
  -498792.089947375, 0.0, 18.015, 28.014, 0.0, 34.014, 0.0, 2.016, 837126794.4883105, 841541219.0046986,
  852604221.0126998, 853028487.7187779, 0.0, 13070879.926816799, 13139806.657120429, -2122446.0235600173,
  6034013.041087277, 0.0, 70730219.62096402, 71103201.608428, 79526202.1976639, 75699477.98476124, 0.0,
  -23472423.06540145, -23596200.300227124, -25680892.01926235, -24792460.772522826, 0.0, 3302516.8759950167,
  3319932.053163383, 4629237.710782558, 3960662.2366145635, 0.0, 1.008, 33.006, 0.0, 0.0, 33.006, 0.0, 15.999,
  1106999690.1221383, 1131018820.803414, 1094061592.0443366, 291174445.47094536, 0.0, 98302407.66697286,
  93765779.94494034, 99381967.35000393, 30172092.3362012, 0.0, 37938159.41531638, 44827151.415771805, 35299849.08935917,
  5215784.4553971635, 0.0, -13477578.75355018, -15936340.329010574, -12482766.801352408, -1611569.772884302, 0.0,
  -693818.6723338696, -538053.6631301126, -721136.250804103, -161105.44164498762, 0.0, 31.998, 34.014, 0.0, 0.0, 18.015,
  0.0, 28.014, 1140308995.3708277, 1101580883.228771, 291423120.255783, 174243691.29198048, 0.0, 94535970.89854376,
  100065001.97660296, 30197860.526667155, 14156035.350538878, 0.0, 45195361.08156544, 35542458.68830278,
  5220238.946845758, 7166916.121899974, 0.0, -16067241.230836587, -12568558.64259652, -1612946.1188216514,
  -2550995.100002756, 0.0, -542473.2292410453, -726092.4922868282, -161243.03222457477, -73510.74564564179, 0.0, 17.007,
  39.95, 0.0, 0.0, 2.016, 1.008, 39.95, 1122515867.1971133, 286447736.63825387, 170248411.38474515, 703235238.1126126,
  0.0, 95877983.86665197, 29041013.146361247, 12558528.347366456, 63277363.37003061, 0.0, 42010620.32162241,
  5942308.0157407615, 8067995.566021254, 23288898.54990302, 0.0, -14953459.57978071, -1939024.2420918704,
  -2865207.526787406, -8253537.375074387, 0.0, -616376.5559825789, -178336.32067274966, -20523.582086480863,
  -454883.0532687497, 0.0, 0.0, 0.0, 0.0, 0.0, 15.999, 31.998, 0.0, 302369973.62898576, 182583190.1738058,
  708788058.3718526, 1086235001.239269, 0.0, 31560536.59988151, 15311193.597815238, 68116358.96602288,
  98671018.35270214, 0.0, 5103327.600256474, 7082506.7279828675, 19004931.335564855, 35047324.48170209, 0.0,
  -1530123.3019981682, -2518211.2767411247, -6577471.242825223, -12393468.80517359, 0.0, -157411.62303543076,
  -92164.46994097874, -489293.2265404066, -715977.456844005, 0.0, 0.0, 0.0, 0.0, 0.0, 126931497.91947833,
  174085921.37896585, 127155035.79605414, 146559743.82484326, 174167161.92868152, 11255809.425820045,
  14143217.690115556, 11275631.926771767, -1088102.0533673428, 14149817.895179722, 4365397.326180728, 7160426.798098693,
  4373085.186675542, 13990282.357804794, 7163768.349239732, -1551151.4149774425, -2548685.287394629,
  -1553883.1332619386, -4477727.729879472, -2549874.6804944174, -79259.8786166897, -73444.18493489429,
  -79399.46244698737, 853446.8303717014, -73478.45907974232, -59815.70771094268, -117541.16553044811,
  -59921.04859539956, -459028.57592522155, -117596.01838003774, 0.0, 0.0, 708409795.4916892, 839320482.0731566,
  1090215202.0875072, 1098255115.7739727, 1121388106.4055233, 66968943.4329223, -216258.72891283035, 96811932.46630517,
  97525882.86744572, 92967356.93876638, 20189023.676650744, 77428963.21683095, 37362935.60229475, 37638472.74097122,
  44445444.68849641, -7052469.128697022, -25093556.957058977, -13273229.771880286, -13371114.686294239,
  -15800641.135129536, -489142.77994711814, 4404913.777283527, -683298.894138172, -688337.9580955415,
  -533472.0937614337, -225674.66618327698, -2504105.2700606803, -510056.97671581747, -513818.44878923695,
  -702269.7726621741, 0.0, 0.0, -1130534.2128218403, -226880.19303586704, -228032.085373766, -313233.7580078706,
  -202054.1389819811, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -2174191.541979732, -2185656.7160997256, -2585523.2613762375,
  -2395632.4734480884, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -517909.5962330341, -708301.0116028872, -451759.86803296383,
  -32888.458243411784, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -714118.9873317683, -454864.7334066989, -32916.54632590378,
  -117647.69028162575, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -627484.839474247, -45509.197400305995, -152197.26935988,
  -306533.90171478613, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -29541.70050163167, -109539.60675571518, -198206.27388642423,
  -448528.11247115856, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
};

// Rows, slots and numbers of rounds.
// Register r of thread t is at [256 * r + t]; the lanes of a warp share theirs by shuffles.
static __device__ const int h2o2_diffusion_indices[512] = {
  0, 1, 9, 17, 18, 25, 1, 26, 62, 63, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 8, 19,
  20, 24, 1, 31, 65, 66, 67, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 0, 4, 5, 0, 0, 4, 21,
  22, 23, 24, 25, 36, 5, 68, 0, 0, 0, 0, 0, 8, 6, 10, 8, 12, 10, 14, 12, 5, 80, 2, 7, 1, 7, 10, 11, 23, 1, 5, 22, 23,
  24, 25, 0, 41, 4, 69, 2, 0, 1, 76, 77, 6, 0, 10, 0, 12, 0, 14, 0, 6, 81, 1, 6, 1, 0, 8, 9, 0, 0, 6, 23, 24, 25, 16, 0,
  45, 4, 70, 0, 2, 3, 78, 79, 6, 0, 8, 0, 12, 0, 14, 0, 7, 82, 1, 5, 1, 9, 6, 7, 14, 15, 7, 24, 25, 16, 17, 0, 49, 4,
  71, 6, 4, 8, 6, 10, 8, 12, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 8, 0, 1, 12, 13, 8, 25, 16, 17, 18, 0, 53, 4, 72, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0, 2, 3, 16, 7, 9, 16, 17, 18, 19, 0, 57, 4, 73, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 26, 63, 52, 55,
  58, 5, 30, 33, 36, 69, 0, 0, 4, 80, 5, 77, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 28, 31, 66, 60, 0, 4, 67,
  39, 43, 46, 49, 72, 6, 75, 8, 79, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 35, 38, 42, 45, 71, 5, 40, 44, 47,
  50, 53, 73, 6, 82, 7, 0, 0, 83, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 29, 32, 68, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,
  74, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 27, 65, 56, 59, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 78, 2, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 62, 48, 51, 54, 57, 5, 64, 34, 37, 41, 70, 0, 5, 0, 0, 76, 0, 81, 6, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
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

// log2 x below 1 ulp for positive normal x. The table has pairs c, -log2 c; next to 1, c is 1 and the largest term, the
// product of f and log2 e, is rounded once.
static __device__ __forceinline__ double singe_log2(double x, const double *table)
{
  const unsigned high = (unsigned)__double2hiint(x);
  const unsigned above = high - 0x3fe61556u;
  const bool near = (above - 0x98000u) < 0xc000u;
  const unsigned exponent = (unsigned)((int)above >> 20);
  const double m = __hiloint2double((int)(high - (exponent << 20)), __double2loint(x));
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

// max(x, 0) without a double-precision instruction.
static __device__ __forceinline__ double positive(double x)
{
  const unsigned high = (unsigned)__double2hiint(x);
  const unsigned mask = ~(unsigned)((int)high >> 31);
  return __hiloint2double((int)(high & mask), (int)((unsigned)__double2loint(x) & mask));
}

extern "C" __global__ void __launch_bounds__(256, 1)
h2o2_diffusion(const double *__restrict__ temperature, const double *__restrict__ pressure,
    const double *__restrict__ mole_fractions, double *__restrict__ diffusion, int points, int stride)
{
  __shared__ double slots[84][32];
  const int warp_id = threadIdx.x >> 5;
  const int lane = threadIdx.x & 31;
  const double c0 = h2o2_diffusion_reals[0 + threadIdx.x];
  const double c1 = h2o2_diffusion_reals[256 + threadIdx.x];
  const int k0 = h2o2_diffusion_indices[0 + threadIdx.x];
  const int k1 = h2o2_diffusion_indices[256 + threadIdx.x];
  const int groups = points / 32 + (points % 32 != 0);
  for (int group = blockIdx.x; group < groups; group += gridDim.x) {
    const bool active = group * 32 + lane < points;
    const int point = min(group * 32 + lane, points - 1);
    const double field = load(temperature, 0, stride, point);
    const double t = fma(0.8685889638065035, singe_log2(field, h2o2_diffusion_logarithms) * 0.6931471805599453, -5.954242509439324);
    const double scaled_ln_t = t;
    // phase 1
    double r0 = 0.0;
    double r1 = 0.0;
    double r2 = 0.0;
    double r3 = 0.0;
    if ((0xfcu >> warp_id) & 1u) {
      r0 = 0.0;
      r1 = 0.0;
    }
    if ((0x60u >> warp_id) & 1u) {
      r2 = 0.0;
      r3 = 0.0;
    }
    if ((0xfcu >> warp_id) & 1u) {
      const int trips = broadcast_index(k0, 1);
      #pragma unroll 4
      for (int i0 = 0; i0 < trips; ++i0) {
        const double field_2 = load(mole_fractions, broadcast_index(k0, 0) + i0, stride, point);
        const double c = broadcast(c0, i0);
        r0 = fma(fmax(field_2, 1e-20), c, r0);
        r1 = fma(positive(field_2), c, r1);
      }
    }
    if ((0x60u >> warp_id) & 1u) {
      const double field_3 = load(mole_fractions, broadcast_index(k0, 2), stride, point);
      const double c_2 = broadcast(c0, 2);
      r2 = fma(fmax(field_3, 1e-20), c_2, r2);
      r3 = fma(positive(field_3), c_2, r3);
    }
    if ((0xfcu >> warp_id) & 1u) {
      slots[broadcast_index(k0, 3)][lane] = r0;
      slots[broadcast_index(k0, 4)][lane] = r1;
    }
    switch (warp_id) {
    case 5: case 6: {
      slots[broadcast_index(k0, 5)][lane] = r2;
      slots[broadcast_index(k0, 6)][lane] = r3;
      break;
    }
    case 0: case 1: case 3: case 7: {
      const int trips_2 = broadcast_index(k0, 6);
      #pragma unroll 4
      for (int i1 = 0; i1 < trips_2; ++i1) {
        const double field_4 = load(mole_fractions, broadcast_index(k0, 2) + i1, stride, point);
        slots[broadcast_index(k0, 5) + i1][lane] = fmax(field_4, 1e-20);
      }
      break;
    }
    }
    if ((0x80u >> warp_id) & 1u) {
      barrier_arrive<1, 256>();
    }
    if ((0x7fu >> warp_id) & 1u) {
      barrier_sync<1, 256>();
    }
    // phase 2
    r0 = 0.0;
    r1 = 0.0;
    r2 = 0.0;
    r3 = 0.0;
    double r4 = 0.0;
    switch (warp_id) {
    case 0: case 1: {
      const double field_5 = load(mole_fractions, broadcast_index(k0, 0), stride, point);
      const double field_6 = load(mole_fractions, broadcast_index(k0, 1), stride, point);
      r0 = 0.0;
      r1 = 0.0;
      r2 = 0.0;
      r3 = fmax(field_5, 1e-20);
      r4 = fmax(field_6, 1e-20);
      #pragma unroll 3
      for (int i2 = 0; i2 < 5; ++i2) {
        const double c_3 = broadcast(c0, 15 + i2);
        const double t_2 = fma(fma(broadcast(c0, 25 + i2), scaled_ln_t, broadcast(c0, 20 + i2)), scaled_ln_t, c_3);
        const double t_3 = fma(fma(t_2, scaled_ln_t, broadcast(c0, 10 + i2)), scaled_ln_t, broadcast(c0, 5 + i2));
        const double t_4 = fma(t_3, scaled_ln_t, broadcast(c0, i2));
        slots[broadcast_index(k0, 7) + i2][lane] = fma(r3, t_4, r2);
        const double c_4 = broadcast(c1, 15 + i2);
        const double t_5 = fma(fma(broadcast(c1, 25 + i2), scaled_ln_t, broadcast(c1, 20 + i2)), scaled_ln_t, c_4);
        const double t_6 = fma(fma(t_5, scaled_ln_t, broadcast(c1, 10 + i2)), scaled_ln_t, broadcast(c1, 5 + i2));
        const double t_7 = fma(t_6, scaled_ln_t, broadcast(c1, i2));
        r0 = fma(slots[broadcast_index(k0, 3) + i2][lane], t_4, r0);
        r1 = fma(slots[broadcast_index(k0, 4) + i2][lane], t_7, r1);
        r2 = __dmul_rn(r4, t_7);
      }
      slots[broadcast_index(k0, 8)][lane] = r0;
      slots[broadcast_index(k0, 9)][lane] = r1;
      slots[broadcast_index(k0, 10)][lane] = r2;
      break;
    }
    case 2: case 3: case 4: case 5: case 6: case 7: {
      const double field_7 = load(mole_fractions, broadcast_index(k0, 7), stride, point);
      r0 = 0.0;
      r1 = fmax(field_7, 1e-20);
      break;
    }
    }
    if ((0xfcu >> warp_id) & 1u) {
      const int trips_3 = broadcast_index(k0, 14);
      #pragma unroll 4
      for (int i3 = 0; i3 < trips_3; ++i3) {
        const double c_5 = broadcast(c0, 18 + i3);
        const double t_8 = fma(fma(broadcast(c1, i3), scaled_ln_t, broadcast(c0, 23 + i3)), scaled_ln_t, c_5);
        const double t_9 = fma(fma(t_8, scaled_ln_t, broadcast(c0, 13 + i3)), scaled_ln_t, broadcast(c0, 8 + i3));
        const double t_10 = fma(t_9, scaled_ln_t, broadcast(c0, 3 + i3));
        slots[broadcast_index(k0, 13) + i3][lane] = __dmul_rn(r1, t_10);
        r0 = fma(slots[broadcast_index(k0, 8 + i3)][lane], t_10, r0);
      }
    }
    if ((0x20u >> warp_id) & 1u) {
      const double s = slots[7][lane];
      const double t_11 = slots[1][lane] + slots[3][lane] + slots[5][lane] + s;
      const double t_12 = t_11 + slots[9][lane] + slots[11][lane] + slots[13][lane];
      const double field_8 = load(temperature, 0, stride, point);
      const double field_9 = load(pressure, 0, stride, point);
      const double t_13 = sqrt(field_8);
      const double t_14 = field_9 * (t_12 + slots[15][lane]);
      slots[61][lane] = 101325.0 * (field_8 * (t_13 * sqrt(t_13))) / t_14;
    }
    if ((0xfcu >> warp_id) & 1u) {
      slots[broadcast_index(k0, 15)][lane] = r0;
    }
    if ((0x20u >> warp_id) & 1u) {
      #pragma unroll 4
      for (int i4 = 0; i4 < 2; ++i4) {
        const double s_2 = slots[broadcast_index(k0, 18 + i4)][lane];
        const double t_15 = slots[0][lane] + slots[2][lane] + slots[broadcast_index(k0, 16 + i4)][lane] + s_2;
        const double t_16 = t_15 + slots[broadcast_index(k0, 20 + i4)][lane] + slots[broadcast_index(k0, 22 + i4)][lane] + slots[14][lane];
        slots[74 + i4][lane] = __dmul_rn(t_16, slots[61][lane]);
      }
    }
    if ((0x3u >> warp_id) & 1u) {
      barrier_arrive<2, 256>();
    }
    if ((0xfcu >> warp_id) & 1u) {
      barrier_sync<2, 256>();
    }
    // phase 3
    r0 = 0.0;
    r1 = 0.0;
    if ((0x18u >> warp_id) & 1u) {
      const double s_3 = slots[8][lane];
      const double t_17 = slots[broadcast_index(k0, 16)][lane] + slots[4][lane] + slots[6][lane] + s_3;
      const double t_18 = t_17 + slots[10][lane] + slots[12][lane] + slots[14][lane];
      const double field_10 = load(mole_fractions, broadcast_index(k0, 18), stride, point);
      const double s_4 = slots[61][lane];
      slots[broadcast_index(k0, 19)][lane] = __dmul_rn(t_18 + __dmul_rn(fmax(field_10, 1e-20), broadcast(c0, 28)), s_4);
      const double field_11 = load(mole_fractions, broadcast_index(k0, 17), stride, point);
      slots[broadcast_index(k0, 20)][lane] = __dmul_rn(t_18 + __dmul_rn(fmax(field_11, 1e-20), broadcast(c0, 2)), s_4);
    }
    if ((0x1cu >> warp_id) & 1u) {
      const int trips_4 = broadcast_index(k0, 31);
      #pragma unroll 4
      for (int i5 = 0; i5 < trips_4; ++i5) {
        const double s_5 = slots[broadcast_index(k0, 21 + i5)][lane];
        const double t_19 = slots[0][lane] + slots[2][lane] + slots[4][lane] + s_5;
        const double t_20 = t_19 + slots[broadcast_index(k0, 23 + i5)][lane] + slots[broadcast_index(k0, 25 + i5)][lane] + slots[broadcast_index(k0, 27 + i5)][lane];
        slots[broadcast_index(k0, 30) + i5 * 3][lane] = __dmul_rn(t_20, slots[61][lane]);
      }
    }
    if ((0xfcu >> warp_id) & 1u) {
      r0 = 0.0;
    }
    if ((0x9cu >> warp_id) & 1u) {
      r1 = 0.0;
    }
    if ((0xfcu >> warp_id) & 1u) {
      const int trips_5 = broadcast_index(k1, 5);
      #pragma unroll 4
      for (int i6 = 0; i6 < trips_5; ++i6) {
        r0 = r0 + slots[broadcast_index(k1, i6)][lane];
      }
    }
    if ((0x9cu >> warp_id) & 1u) {
      const int trips_6 = broadcast_index(k1, 12);
      #pragma unroll 4
      for (int i7 = 0; i7 < trips_6; ++i7) {
        r1 = r1 + slots[broadcast_index(k1, 6 + i7)][lane];
      }
    }
    switch (warp_id) {
    case 4: case 5: {
      store(diffusion, broadcast_index(k1, 14), stride, point, active, slots[broadcast_index(k1, 13)][lane] / r0);
      break;
    }
    case 2: case 3: {
      store(diffusion, broadcast_index(k1, 14), stride, point, active, slots[broadcast_index(k1, 13)][lane] / r1);
      break;
    }
    }
    if ((0xdcu >> warp_id) & 1u) {
      barrier_sync<1, 160>();
    }
    // phase 4
    if ((0xccu >> warp_id) & 1u) {
      store(diffusion, broadcast_index(k1, 16), stride, point, active, slots[broadcast_index(k1, 15)][lane] / r0);
    }
    if ((0x90u >> warp_id) & 1u) {
      store(diffusion, broadcast_index(k1, 18), stride, point, active, slots[broadcast_index(k1, 17)][lane] / r1);
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
