// h2o2_conductivity: conductivity of h2o2, made by singe 0.2.0
//
// command     singe mechanisms/h2o2/chem.inp --warps 8 --target kepler --codegen overlay --emit cuda,picture --verify no-compilers
// input       mechanisms/h2o2/chem.inp sha256 b672951e65e781496dc3dbac71cc1188a40605a11f20f8f00b734de95f70ecc7
// input       mechanisms/h2o2/therm.dat sha256 c0e83a2f1255ee15ce3ffdf5db49e1813d580f7632d8b60c80df5cc9023ad45b
// input       mechanisms/h2o2/tran.dat sha256 377ed79c9f704d6c49a316134f171ad180a1cfde27eadec992dce85edf624272
// form        log-space, exact to rounding; proven to stay in the range of doubles from 200 to 4000 K
// target      kepler (compute capability 3.5)
// execution   warp-specialized; warps per CTA: 8, CTAs per SM: 1
// barriers    named barriers per CTA: 2
// constants   registers per thread: 1 real, 1 index
// banks       entries: 0 real, 0 index
// slots       24 (6144 bytes of shared memory per CTA)

// Constants.
// Register r of thread t is at [256 * r + t]; the lanes of a warp share theirs by shuffles.
static __device__ const double h2o2_conductivity_reals[256] = {
  3.7979060170858228, -14.036970412339741, -2.4529350245770436, 4.9630854387052565, 0.430953388383801,
  -0.5290874814245593, -0.016733364824390622, 0.02314255024665115, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -9.465393655384169, -17.799046315502892,
  2.2735202161316685, 4.854056705731781, -0.20056385860000964, -0.49338286122111474, 0.009886093099255373,
  0.021710289138467297, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 8.7315471206719, 0.0, -5.487622677225604, 0.0, 0.8900480474429336, 0.0,
  -0.039515945291156436, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 19.54435615468906, 0.0, -12.631475983131686, 0.0, 2.1606031942194184, 0.0,
  -0.10730055732822173, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -12.662124295983629, 0.0, 2.2842988963925825, 0.0, -0.07496101033282333, 0.0,
  0.0005432992173102355, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -12.560534496770313, 0.0, 2.0548163091581655, 0.0, 0.0037664266326999604, 0.0,
  -0.005172438075676689, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -17.337773535301316, 0.0, 4.6821302589639044, 0.0, -0.4935138012888947, 0.0,
  0.021639328462677385, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.1794990513739325, 0.0, -4.208222231624862, 0.0, 0.801159422314206, 0.0,
  -0.03971405745385762, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
};

// Rows, slots and numbers of rounds.
// Register r of thread t is at [256 * r + t]; the lanes of a warp share theirs by shuffles.
static __device__ const int h2o2_conductivity_indices[256] = {
  0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 3, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 7, 1, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 1, 18,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 1, 21, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

// c and -log2 c by interval of the mantissa
static __device__ const double h2o2_conductivity_logarithms[128] = {
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

// 2^(j/256), j 2^44 less in its bits
static __device__ const double h2o2_conductivity_powers[256] = {
  1.0, 0.9994025125251013, 0.9988087005564014, 0.9982185740592088, 0.9976321430258502, 0.9970494174757447,
  0.9964704074554765, 0.995895123038869, 0.9953235743270583, 0.9947557714485679, 0.9941917245593819, 0.9936314438430205,
  0.9930749395106142, 0.9925222218009786, 0.9919733009806894, 0.991428187344158, 0.9908868912137069, 0.9903494229396449,
  0.9898157929003436, 0.9892860115023132, 0.9887600891802786, 0.9882380363972564, 0.987719863644631, 0.9872055814422322,
  0.9866952003384118, 0.9861887309101209, 0.9856861837629878, 0.9851875695313955, 0.9846928988785599,
  0.9842021824966076, 0.9837154311066546, 0.9832326554588848, 0.9827538663326288, 0.9822790745364429,
  0.9818082909081884, 0.981341526315111, 0.9808787916539204, 0.9804200978508706, 0.9799654558618394, 0.9795148766724088,
  0.9790683712979462, 0.9786259507836846, 0.9781876262048034, 0.97775340866651, 0.9773233093041209, 0.976897339283144,
  0.9764755097993596, 0.9760578320789027, 0.9756443173783458, 0.9752349769847808, 0.9748298222159021,
  0.9744288644200895, 0.9740321149764913, 0.973639585295108, 0.9732512868168756, 0.9728672310137494, 0.9724874293887887,
  0.9721118934762408, 0.9717406348416251, 0.9713736650818187, 0.9710109958251406, 0.9706526387314379,
  0.9702986054921705, 0.9699489078304969, 0.9696035575013605, 0.9692625662915756, 0.9689259460199137,
  0.9685937085371903, 0.9682658657263515, 0.9679424295025619, 0.9676234118132908, 0.9673088246384006,
  0.9669986799902345, 0.9666929899137042, 0.9663917664863788, 0.9660950218185728, 0.965802768053435, 0.9655150173670379,
  0.9652317819684667, 0.9649530740999083, 0.964678906036742, 0.964409290087629, 0.9641442385946024, 0.9638837639331581,
  0.9636278785123455, 0.9633765947748583, 0.9631299251971254, 0.9628878822894031, 0.9626504785958666,
  0.9624177266947014, 0.962189639198196, 0.9619662287528347, 0.9617475080393891, 0.9615334897730128, 0.9613241867033329,
  0.9611196116145447, 0.9609197773255048, 0.9607246966898253, 0.9605343825959679, 0.9603488479673387,
  0.9601681057623822, 0.9599921689746773, 0.959821050633032, 0.9596547638015788, 0.9594933215798707, 0.9593367371029772,
  0.9591850235415808, 0.9590381941020729, 0.9588962620266515, 0.9587592405934177, 0.9586271431164729,
  0.9584999829460172, 0.9583777734684463, 0.9582605281064506, 0.9581482603191124, 0.958040983602006, 0.9579387114872953,
  0.9578414575438342, 0.9577492353772651, 0.957662058630119, 0.957579940981916, 0.9575028961492645, 0.9574309378859631,
  0.9573640799831001, 0.9573023362691556, 0.9572457206101024, 0.9571942469095077, 0.9571479291086353,
  0.9571067811865476, 0.9570708171602076, 0.9570400510845828, 0.9570144970527471, 0.956994169195985, 0.9569790816838945,
  0.9569692487244912, 0.9569646845643128, 0.9569654034885233, 0.9569714198210175, 0.9569827479245263,
  0.9569994022007219, 0.9570213970903235, 0.9570487470732029, 0.9570814666684909, 0.9571195704346838,
  0.9571630729697497, 0.9572119889112359, 0.9572663329363762, 0.9573261197621985, 0.9573913641456324,
  0.9574620808836177, 0.9575382848132128, 0.9576199908117032, 0.9577072137967114, 0.9577999687263049,
  0.9578982705991074, 0.9580021344544073, 0.9581115753722692, 0.9582266084736435, 0.958347248920478, 0.9584735119158284,
  0.9586054127039704, 0.9587429665705107, 0.9588861888425, 0.9590350948885443, 0.9591897001189185, 0.9593500199856788,
  0.9595160699827765, 0.9596878656461707, 0.9598654225539432, 0.9600487563264123, 0.9602378826262469, 0.960432817158582,
  0.9606335756711335, 0.9608401739543135, 0.9610526278413467, 0.9612709532083855, 0.9614951659746271,
  0.9617252821024304, 0.9619613175974319, 0.9622032885086644, 0.9624512109286739, 0.9627051009936375,
  0.9629649748834822, 0.9632308488220032, 0.9635027390769825, 0.9637806619603089, 0.9640646338280972,
  0.9643546710808081, 0.9646507901633682, 0.9649530075652912, 0.9652613398207983, 0.9655758035089392,
  0.9658964152537145, 0.9662231917241967, 0.9665561496346526, 0.9668953057446663, 0.9672406768592617,
  0.9675922798290256, 0.9679501315502315, 0.968314248964963, 0.968684649061239, 0.969061348873137, 0.9694443654809188,
  0.9698337160111555, 0.9702294176368531, 0.9706314875775782, 0.9710399430995845, 0.9714548015159391,
  0.9718760801866497, 0.972303796518792, 0.9727379679666364, 0.9731786120317774, 0.9736257462632606, 0.9740793882577122,
  0.9745395556594675, 0.9750062661607005, 0.9754795375015536, 0.9759593874702676, 0.976445833903312, 0.976938894685516,
  0.9774385877501994, 0.9779449310793042, 0.9784579427035267, 0.9789776407024486, 0.9795040432046712,
  0.9800371683879469, 0.980577034479313, 0.9811236597552254, 0.9816770625416927, 0.9822372612144102, 0.9828042741988945,
  0.9833781199706193, 0.98395881705515, 0.9845463840282801, 0.9851408395161673, 0.9857422021954696, 0.9863504907934828,
  0.9869657240882777, 0.9875879209088371, 0.9882171001351949, 0.9888532806985737, 0.9894964815815237,
  0.9901467218180625, 0.9908040204938136, 0.9914683967461472, 0.9921398697643202, 0.9928184587896166,
  0.9935041831154892, 0.9941970620877001, 0.9948971151044637, 0.9956043616165879, 0.9963188211276172,
  0.9970405131939755, 0.9977694574251097, 0.9985056734836332, 0.9992491810854701,
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

// 2^x below 1.02 ulp for |x| < 1021; anything beyond. Entry j of `powers` is 2^(j/256), j 2^44 less in its bits.
static __device__ __forceinline__ double singe_exp2_table_within(double x, const double *powers)
{
  const double shifted = x + 26388279066624.0;
  const unsigned n = (unsigned)__double2loint(shifted);
  const double r = x - (shifted - 26388279066624.0);
  double q = fma(0.009618129842126066, r, 0.05550411502275783);
  q = fma(q, r, 0.2402265069591);
  q = fma(q, r, 0.6931471805599393);
  const double entry = powers[n & 255u];
  const double root = __hiloint2double((int)((unsigned)__double2hiint(entry) + (n << 12)), __double2loint(entry));
  return fma(root, q * r, root);
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
h2o2_conductivity(const double *__restrict__ temperature, const double *__restrict__ pressure,
    const double *__restrict__ mole_fractions, double *__restrict__ conductivity, int points, int stride)
{
  // Slots, what they hold, and the phase that stores it: 0: sum from 0 (1); 1: numerator from 0 (1); 2: denominator
  //   from 0 (1); 3: sum from 2 (1); 4: numerator from 2 (1); 5: denominator from 2 (1); 6: sum from 4 (1); 7:
  //   numerator from 4 (1); 8: denominator from 4 (1); 9: sum from 5 (1); 10: numerator from 5 (1); 11: denominator
  //   from 5 (1); 12: sum from 6 (1); 13: numerator from 6 (1); 14: denominator from 6 (1); 15: sum from 7 (1); 16:
  //   numerator from 7 (1); 17: denominator from 7 (1); 18: sum from 8 (1); 19: numerator from 8 (1); 20: denominator
  //   from 8 (1); 21: sum from 9 (1); 22: numerator from 9 (1); 23: denominator from 9 (1)
  __shared__ double slots[24][32];
  const int warp_id = threadIdx.x >> 5;
  const int lane = threadIdx.x & 31;
  const double c0 = h2o2_conductivity_reals[0 + threadIdx.x];
  const int k0 = h2o2_conductivity_indices[0 + threadIdx.x];
  __shared__ double powers[256];
  for (int i = threadIdx.x; i < 256; i += 256) powers[i] = h2o2_conductivity_powers[i];
  __syncthreads();
  const int groups = points / 32 + (points % 32 != 0);
  for (int group = blockIdx.x; group < groups; group += gridDim.x) {
    const bool active = group * 32 + lane < points;
    const int point = min(group * 32 + lane, points - 1);
    const double field = load(temperature, 0, stride, point);
    const double t = select_le(field, 10000.0, field, __longlong_as_double(0x7ff8000000000000LL));
    const double ln_t = __dmul_rn(singe_log2(select_le(100.0, t, t, __longlong_as_double(0x7ff8000000000000LL)),
        h2o2_conductivity_logarithms), 0.6931471805599453);
    // phase 1
    // warp 0: block 0..2; warp 1: block 2..4; warp 2: block 4..5; warp 3: block 5..6; warp 4: block 6..7; warp 5: block
    //   7..8; warp 6: block 8..9; warp 7: block 9..10
    double r0 = -0.0;
    double r1 = -0.0;
    double r2 = 1.0;
    // warp 0: block 0..2; warp 1: block 2..4; warp 2: block 4..5; warp 3: block 5..6; warp 4: block 6..7; warp 5: block
    //   7..8; warp 6: block 8..9; warp 7: block 9..10
    const int trips = broadcast_index(k0, 1);
    #pragma unroll 4
    for (int i0 = 0; i0 < trips; ++i0) {
      const double t_2 = fma(fma(broadcast(c0, 6 + i0), ln_t, broadcast(c0, 4 + i0)), ln_t, broadcast(c0, 2 + i0));
      const double e = singe_exp2_table_within(fma(t_2, ln_t, broadcast(c0, i0)), powers);
      const double field_2 = load(mole_fractions, broadcast_index(k0, 0) + i0, stride, point);
      const double t_3 = positive(field_2);
      r0 = fma(t_3, e, r0);
      r1 = fma(r1, e, t_3 * r2);
      r2 = __dmul_rn(r2, e);
    }
    // warp 0: block 0..2; warp 1: block 2..4; warp 2: block 4..5; warp 3: block 5..6; warp 4: block 6..7; warp 5: block
    //   7..8; warp 6: block 8..9; warp 7: block 9..10
    const int index = broadcast_index(k0, 2);
    slots[index][lane] = r0;
    slots[index + 1][lane] = r1;
    slots[index + 2][lane] = r2;
    if ((0xfbu >> warp_id) & 1u) { // warps 0, 1, 3 to 7
      barrier_arrive<1, 256>();
    }
    if ((0x4u >> warp_id) & 1u) { // warp 2
      barrier_sync<1, 256>();
    }
    // phase 2
    r0 = -0.0;
    r1 = -0.0;
    r2 = -0.0;
    if ((0x4u >> warp_id) & 1u) { // warp 2
      // warp 2: mixture
      r0 = slots[0][lane];
      r1 = slots[1][lane];
      r2 = slots[2][lane];
      // warp 2: mixture
      #pragma unroll 4
      for (int i1 = 0; i1 < 7; ++i1) {
        const double s = slots[5 + i1 * 3][lane];
        r0 = r0 + slots[3 + i1 * 3][lane];
        r1 = fma(r1, s, slots[4 + i1 * 3][lane] * r2);
        r2 = __dmul_rn(r2, s);
      }
      // warp 2: mixture
      store(conductivity, 0, stride, point, active, fma(0.05770648837962825, r0 + r2 / r1, ln_t - ln_t));
    }
    barrier_sync<0, 256>();
  }
}

#ifndef __CUDACC_RTC__
#include "h2o2.h"
#include <cuda_runtime.h>

// Finds the CTAs of the kernel that the current device holds at once. Returns a cudaError_t.
extern "C" int h2o2_conductivity_prepare(int multiprocessors, int *ctas)
{
  const int threads = 256;
  const int dynamic_shared_bytes = 0;
  const void *kernel = (const void *)h2o2_conductivity;
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
static bool h2o2_conductivity_share(const void *a, int a_rows, const void *b, int b_rows, size_t number, int points,
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
extern "C" int h2o2_conductivity_launch(const struct h2o2_context *context, const double *temperature,
    const double *pressure, const double *mole_fractions, double *conductivity, int points, int stride,
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
  if (!conductivity) return SINGE_NULL_POINTER;
  if (h2o2_conductivity_share(conductivity, 1, temperature, 1, sizeof *conductivity, points,
      stride)) return SINGE_OVERLAPPING_ARRAYS;
  if (h2o2_conductivity_share(conductivity, 1, pressure, 1, sizeof *conductivity, points,
      stride)) return SINGE_OVERLAPPING_ARRAYS;
  if (h2o2_conductivity_share(conductivity, 1, mole_fractions, 10, sizeof *conductivity, points,
      stride)) return SINGE_OVERLAPPING_ARRAYS;
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return (int)error;
  if (device != context->device) return SINGE_WRONG_DEVICE;

  // As many CTAs as the device holds at once: each streams over its share of the points and loads its constants once.
  const int groups = points / 32 + (points % 32 != 0);
  const int needed = (groups - 1) / groups_per_cta + 1;
  const int most = context->conductivity_ctas;
  const dim3 grid(needed < most ? needed : most), block(threads);
  void *arguments[] = { &temperature, &pressure, &mole_fractions, &conductivity, &points, &stride };
  // The status of this launch alone: an earlier error of the host stays where cudaGetLastError finds it.
  return (int)cudaLaunchKernel((const void *)h2o2_conductivity, grid, block, arguments, dynamic_shared_bytes, stream);
}
#endif
