// h2o2_viscosity: viscosity of h2o2, made by singe 0.2.0
//
// command     singe mechanisms/h2o2/chem.inp --kernel viscosity --warps 4 --target hopper --codegen switch --emit cuda --verify no-compilers
// input       mechanisms/h2o2/chem.inp sha256 b672951e65e781496dc3dbac71cc1188a40605a11f20f8f00b734de95f70ecc7
// input       mechanisms/h2o2/therm.dat sha256 c0e83a2f1255ee15ce3ffdf5db49e1813d580f7632d8b60c80df5cc9023ad45b
// input       mechanisms/h2o2/tran.dat sha256 377ed79c9f704d6c49a316134f171ad180a1cfde27eadec992dce85edf624272
// form        symmetric, exact to rounding
// target      hopper (compute capability 9.0)
// execution   warp-specialized; warps per CTA: 4, CTAs per SM: 1
// barriers    named barriers per CTA: 2
// constants   registers per thread: 0 real, 0 index
// banks       entries: 100 real, 0 index
// slots       44 (11264 bytes of shared memory per CTA)

// Constants that all lanes of a warp read at one place
static __constant__ double h2o2_viscosity_real_bank[100] = {
  0.4980119205559974, 0.5750546327852952, 0.2356041124585535, 0.17146328751063888, 0.22927700291941078,
  0.2234337036776108, 0.16897775199502918, 0.16659726559488114, 0.15436584402531847, 0.18248296715045295,
  0.5750546327852952, 0.7042952122737639, 0.24248570664662283, 0.17406183287190788, 0.2356041124585535,
  0.22927700291941083, 0.17146328751063888, 0.16897775199502918, 0.15625381483696968, 0.18562494206472438,
  0.2356041124585535, 0.24248570664662283, 0.1767822198273286, 0.14434207805782748, 0.17406183287190788,
  0.17146328751063888, 0.1428498547851611, 0.14140297504525345, 0.1336915122080266, 0.15073340649834172,
  0.17146328751063888, 0.17406183287190788, 0.14434207805782748, 0.125003906433115, 0.1428498547851611,
  0.14140297504525345, 0.12403091831197144, 0.12308030236948557, 0.11789371061611124, 0.1290865368652622,
  0.22927700291941078, 0.2356041124585535, 0.17406183287190788, 0.1428498547851611, 0.17146328751063888,
  0.16897775199502918, 0.14140297504525345, 0.13999918800706432, 0.1325032244223844, 0.1490364273897514,
  0.2234337036776108, 0.22927700291941083, 0.17146328751063888, 0.14140297504525345, 0.16897775199502918,
  0.16659726559488114, 0.13999918800706432, 0.13863639621878496, 0.13134606911970886, 0.1473955018497629,
  0.16897775199502918, 0.17146328751063888, 0.1428498547851611, 0.12403091831197144, 0.14140297504525345,
  0.13999918800706432, 0.12308030236948557, 0.12215121419215742, 0.11707643582382288, 0.1280158954404281,
  0.16659726559488114, 0.16897775199502918, 0.14140297504525345, 0.12308030236948557, 0.13999918800706432,
  0.13863639621878496, 0.12215121419215742, 0.12124285332331142, 0.11627592551775516, 0.12697145926183326,
  0.15436584402531847, 0.15625381483696968, 0.1336915122080266, 0.11789371061611124, 0.1325032244223844,
  0.13134606911970886, 0.11707643582382288, 0.11627592551775516, 0.11187334157740447, 0.12129992557281451,
  0.18248296715045295, 0.18562494206472438, 0.15073340649834172, 0.1290865368652622, 0.1490364273897514,
  0.1473955018497629, 0.1280158954404281, 0.12697145926183326, 0.12129992557281451, 0.13359722582362618,
};

// c and -log2 c by interval of the mantissa
static __device__ const double h2o2_viscosity_logarithms[128] = {
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
static __device__ const double h2o2_viscosity_powers[256] = {
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

static __device__ __forceinline__ int broadcast_index(int value, int lane)
{
  return __shfl_sync(0xffffffffu, value, lane);
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

extern "C" __global__ void __launch_bounds__(128, 1)
h2o2_viscosity(const double *__restrict__ temperature, const double *__restrict__ pressure,
    const double *__restrict__ mole_fractions, double *__restrict__ viscosity, int points, int stride)
{
  // Slots, what they hold, and the phase that stores it: 0: w H2 (1); 1: w/e H2 (1); 2: w/e2 H2 (1); 3: e H2 (1); 4: w
  //   H (1); 5: w/e H (1); 6: w/e2 H (1); 7: e H (1); 8: w O (1); 9: w/e O (1); 10: w/e2 O (1); 11: e O (1); 12: w O2
  //   (1); 13: w/e O2 (1); 14: w/e2 O2 (1); 15: e O2 (1); 16: w OH (1); 17: w/e OH (1); 18: w/e2 OH (1); 19: e OH (1);
  //   20: w H2O (1); 21: w/e H2O (1); 22: w/e2 H2O (1); 23: e H2O (1); 24: w HO2 (1); 25: w/e HO2 (1); 26: w/e2 HO2
  //   (1); 27: e HO2 (1); 28: w H2O2 (1); 29: w/e H2O2 (1); 30: w/e2 H2O2 (1); 31: e H2O2 (1); 32: w AR (1); 33: w/e AR
  //   (1); 34: w/e2 AR (1); 35: e AR (1); 36: w N2 (1); 37: w/e N2 (1); 38: w/e2 N2 (1); 39: e N2 (1); 40: share of
  //   rows from H2 (2); 41: share of rows from O2 (2); 42: share of rows from HO2 (2); 43: share of rows from AR (2)
  __shared__ double slots[44][32];
  const int warp_id = broadcast_index(threadIdx.x >> 5, 0);
  const int lane = threadIdx.x & 31;
  __shared__ double powers[256];
  for (int i = threadIdx.x; i < 256; i += 128) powers[i] = h2o2_viscosity_powers[i];
  __syncthreads();
  const int groups = points / 32 + (points % 32 != 0);
  for (int group = blockIdx.x; group < groups; group += gridDim.x) {
    const bool active = group * 32 + lane < points;
    const int point = min(group * 32 + lane, points - 1);
    const double field = load(temperature, 0, stride, point);
    const double t = select_le(field, 10000.0, field, __longlong_as_double(0x7ff8000000000000LL));
    const double ln_t = __dmul_rn(singe_log2(select_le(100.0, t, t, __longlong_as_double(0x7ff8000000000000LL)),
        h2o2_viscosity_logarithms), 0.6931471805599453);
    double r0;
    double r1;
    double r2;
    double r3;
    double r4;
    double r5;
    double r6;
    double r7;
    double r8;
    switch (warp_id) {
    case 0: {
      // phase 1
      barrier_sync<0, 128>();
      // phase 2
      // warp 0: rows from H2
      r0 = -0.0;
      r1 = -0.0;
      r2 = -0.0;
      r3 = -0.0;
      r4 = -0.0;
      r5 = -0.0;
      r6 = -0.0;
      r7 = -0.0;
      r8 = -0.0;
      // warp 0: rows from H2
      #pragma unroll 4
      for (int i0 = 0; i0 < 10; ++i0) {
        const double s = slots[i0 * 4][lane];
        const double c = h2o2_viscosity_real_bank[i0];
        const double s_2 = slots[1 + i0 * 4][lane];
        const double s_3 = slots[2 + i0 * 4][lane];
        const double c_2 = h2o2_viscosity_real_bank[10 + i0];
        const double c_3 = h2o2_viscosity_real_bank[20 + i0];
        r0 = fma(c, s, r0);
        r1 = fma(c, s_2, r1);
        r2 = fma(c, s_3, r2);
        r3 = fma(c_2, s, r3);
        r4 = fma(c_2, s_2, r4);
        r5 = fma(c_2, s_3, r5);
        r6 = fma(c_3, s, r6);
        r7 = fma(c_3, s_2, r7);
        r8 = fma(c_3, s_3, r8);
      }
      // warp 0: rows from H2
      const double s_4 = slots[3][lane];
      const double t_2 = fma(s_4, fma(s_4, r2, r1 + r1), r0);
      const double field_2 = load(mole_fractions, 0, stride, point);
      const double s_5 = slots[7][lane];
      const double t_3 = fma(s_5, fma(s_5, r5, r4 + r4), r3);
      const double field_3 = load(mole_fractions, 1, stride, point);
      const double t_4 = positive(field_3) * 1.0039920318408906 * (s_5 * s_5) * t_2;
      const double t_5 = fma(positive(field_2) * 1.4198591479439078 * (s_4 * s_4), t_3, t_4);
      const double t_6 = t_2 * t_3;
      const double s_6 = slots[11][lane];
      const double t_7 = fma(s_6, fma(s_6, r8, r7 + r7), r6);
      const double field_4 = load(mole_fractions, 2, stride, point);
      const double t_8 = positive(field_4) * 3.9998749980468142 * (s_6 * s_6) * t_6;
      slots[40][lane] = fma(t_5, t_7, t_8) / (t_6 * t_7);
      barrier_arrive<1, 128>();
      // phase 3
      barrier_sync<0, 128>();
      break;
    }
    case 1: {
      // phase 1
      barrier_sync<0, 128>();
      // phase 2
      // warp 1: rows from O2
      r0 = -0.0;
      r1 = -0.0;
      r2 = -0.0;
      r3 = -0.0;
      r4 = -0.0;
      r5 = -0.0;
      r6 = -0.0;
      r7 = -0.0;
      r8 = -0.0;
      // warp 1: rows from O2
      #pragma unroll 4
      for (int i1 = 0; i1 < 10; ++i1) {
        const double s_7 = slots[i1 * 4][lane];
        const double c_4 = h2o2_viscosity_real_bank[30 + i1];
        const double s_8 = slots[1 + i1 * 4][lane];
        const double s_9 = slots[2 + i1 * 4][lane];
        const double c_5 = h2o2_viscosity_real_bank[40 + i1];
        const double c_6 = h2o2_viscosity_real_bank[50 + i1];
        r0 = fma(c_4, s_7, r0);
        r1 = fma(c_4, s_8, r1);
        r2 = fma(c_4, s_9, r2);
        r3 = fma(c_5, s_7, r3);
        r4 = fma(c_5, s_8, r4);
        r5 = fma(c_5, s_9, r5);
        r6 = fma(c_6, s_7, r6);
        r7 = fma(c_6, s_8, r7);
        r8 = fma(c_6, s_9, r8);
      }
      // warp 1: rows from O2
      const double s_10 = slots[15][lane];
      const double t_9 = fma(s_10, fma(s_10, r2, r1 + r1), r0);
      const double field_5 = load(mole_fractions, 3, stride, point);
      const double s_11 = slots[19][lane];
      const double t_10 = fma(s_11, fma(s_11, r5, r4 + r4), r3);
      const double field_6 = load(mole_fractions, 4, stride, point);
      const double t_11 = positive(field_6) * 4.123954412939115 * (s_11 * s_11) * t_9;
      const double t_12 = fma(positive(field_5) * 5.656677470034862 * (s_10 * s_10), t_10, t_11);
      const double t_13 = t_9 * t_10;
      const double s_12 = slots[23][lane];
      const double t_14 = fma(s_12, fma(s_12, r8, r7 + r7), r6);
      const double field_7 = load(mole_fractions, 5, stride, point);
      const double t_15 = positive(field_7) * 4.244408085940842 * (s_12 * s_12) * t_13;
      slots[41][lane] = fma(t_12, t_14, t_15) / (t_13 * t_14);
      barrier_arrive<1, 128>();
      // phase 3
      barrier_sync<0, 128>();
      break;
    }
    case 2: {
      // phase 1
      // warp 2: species from H2
      const double field_8 = load(mole_fractions, 0, stride, point);
      const double t_16 = __dmul_rn(positive(field_8), 1.4198591479439078);
      slots[0][lane] = t_16;
      const double t_17 = fma(fma(0.0007831549211509924, ln_t, -0.017682845859199398), ln_t, 0.5977722020218197);
      const double e = singe_exp2_table_within(fma(t_17, ln_t, -11.612970457630992), powers);
      const double t_18 = fma(fma(0.011571274906378668, ln_t, -0.26454373626430094), ln_t, 2.4815426893953014);
      const double e_2 = singe_exp2_table_within(fma(t_18, ln_t, -16.037321505489878), powers);
      const double t_19 = fma(fma(0.004842991449865368, ln_t, -0.10875511321666731), ln_t, 1.2783296304674954);
      const double e_3 = singe_exp2_table_within(fma(t_19, ln_t, -13.29853797215189), powers);
      const double t_20 = e * e_2;
      const double t_21 = 1.0 / (t_20 * e_3);
      const double t_22 = t_21 * e_3;
      const double t_23 = t_22 * e_2;
      const double t_24 = __dmul_rn(t_16, t_23);
      slots[1][lane] = t_24;
      slots[2][lane] = __dmul_rn(t_24, t_23);
      slots[3][lane] = e;
      const double field_9 = load(mole_fractions, 1, stride, point);
      const double t_25 = __dmul_rn(positive(field_9), 1.0039920318408906);
      slots[4][lane] = t_25;
      const double t_26 = t_22 * e;
      const double t_27 = __dmul_rn(t_25, t_26);
      slots[5][lane] = t_27;
      slots[6][lane] = __dmul_rn(t_27, t_26);
      slots[7][lane] = e_2;
      const double field_10 = load(mole_fractions, 2, stride, point);
      const double t_28 = __dmul_rn(positive(field_10), 3.9998749980468142);
      slots[8][lane] = t_28;
      const double t_29 = t_21 * t_20;
      const double t_30 = __dmul_rn(t_28, t_29);
      slots[9][lane] = t_30;
      slots[10][lane] = __dmul_rn(t_30, t_29);
      slots[11][lane] = e_3;
      // warp 2: species from HO2
      const double field_11 = load(mole_fractions, 6, stride, point);
      const double t_31 = __dmul_rn(positive(field_11), 5.745084855770191);
      slots[24][lane] = t_31;
      const double t_32 = fma(fma(0.00787796750159, ln_t, -0.17819316893493772), ln_t, 1.807950339167127);
      const double e_4 = singe_exp2_table_within(fma(t_32, ln_t, -15.006768160112012), powers);
      const double t_33 = fma(fma(0.007877967501581257, ln_t, -0.17819316893474782), ln_t, 1.8079503391657574);
      const double e_5 = singe_exp2_table_within(fma(t_33, ln_t, -15.006768160108727), powers);
      const double t_34 = 1.0 / (e_4 * e_5);
      const double t_35 = t_34 * e_5;
      const double t_36 = __dmul_rn(t_31, t_35);
      slots[25][lane] = t_36;
      slots[26][lane] = __dmul_rn(t_36, t_35);
      slots[27][lane] = e_4;
      const double field_12 = load(mole_fractions, 7, stride, point);
      const double t_37 = __dmul_rn(positive(field_12), 5.832152261386872);
      slots[28][lane] = t_37;
      const double t_38 = t_34 * e_4;
      const double t_39 = __dmul_rn(t_37, t_38);
      slots[29][lane] = t_39;
      slots[30][lane] = __dmul_rn(t_39, t_38);
      slots[31][lane] = e_5;
      barrier_sync<0, 128>();
      // phase 2
      // warp 2: rows from HO2
      r0 = -0.0;
      r1 = -0.0;
      r2 = -0.0;
      r3 = -0.0;
      r4 = -0.0;
      r5 = -0.0;
      // warp 2: rows from HO2
      #pragma unroll 4
      for (int i2 = 0; i2 < 10; ++i2) {
        const double s_13 = slots[i2 * 4][lane];
        const double c_7 = h2o2_viscosity_real_bank[60 + i2];
        const double s_14 = slots[1 + i2 * 4][lane];
        const double s_15 = slots[2 + i2 * 4][lane];
        const double c_8 = h2o2_viscosity_real_bank[70 + i2];
        r0 = fma(c_7, s_13, r0);
        r1 = fma(c_7, s_14, r1);
        r2 = fma(c_7, s_15, r2);
        r3 = fma(c_8, s_13, r3);
        r4 = fma(c_8, s_14, r4);
        r5 = fma(c_8, s_15, r5);
      }
      // warp 2: rows from HO2
      const double s_16 = slots[27][lane];
      const double t_40 = fma(s_16, fma(s_16, r2, r1 + r1), r0);
      const double field_13 = load(mole_fractions, 6, stride, point);
      const double s_17 = slots[31][lane];
      const double t_41 = fma(s_17, fma(s_17, r5, r4 + r4), r3);
      const double field_14 = load(mole_fractions, 7, stride, point);
      const double t_42 = positive(field_14) * 5.832152261386872 * (s_17 * s_17) * t_40;
      const double t_43 = fma(positive(field_13) * 5.745084855770191 * (s_16 * s_16), t_41, t_42);
      slots[42][lane] = t_43 / (t_40 * t_41);
      barrier_sync<1, 128>();
      // phase 3
      // warp 2: mixture
      r0 = -0.0;
      // warp 2: mixture
      #pragma unroll 4
      for (int i3 = 0; i3 < 4; ++i3) {
        r0 = r0 + slots[40 + i3][lane];
      }
      // warp 2: mixture
      store(viscosity, 0, stride, point, active, fma(r0, 2.8284271247461903, ln_t - ln_t));
      barrier_sync<0, 128>();
      break;
    }
    case 3: {
      // phase 1
      // warp 3: species from O2
      const double field_15 = load(mole_fractions, 3, stride, point);
      const double t_44 = __dmul_rn(positive(field_15), 5.656677470034862);
      slots[12][lane] = t_44;
      const double t_45 = fma(fma(0.007877967501583528, ln_t, -0.1781931689347973), ln_t, 1.807950339166116);
      const double e_6 = singe_exp2_table_within(fma(t_45, ln_t, -15.006768160109592), powers);
      const double t_46 = fma(fma(0.004842991449867423, ln_t, -0.10875511321671197), ln_t, 1.2783296304678178);
      const double e_7 = singe_exp2_table_within(fma(t_46, ln_t, -13.298537972152662), powers);
      const double t_47 = fma(fma(-0.014657906382325073, ln_t, 0.24845856756213702), ln_t, -0.6250409025532503);
      const double e_8 = singe_exp2_table_within(fma(t_47, ln_t, -11.126301017079417), powers);
      const double t_48 = e_6 * e_7;
      const double t_49 = 1.0 / (t_48 * e_8);
      const double t_50 = t_49 * e_8;
      const double t_51 = t_50 * e_7;
      const double t_52 = __dmul_rn(t_44, t_51);
      slots[13][lane] = t_52;
      slots[14][lane] = __dmul_rn(t_52, t_51);
      slots[15][lane] = e_6;
      const double field_16 = load(mole_fractions, 4, stride, point);
      const double t_53 = __dmul_rn(positive(field_16), 4.123954412939115);
      slots[16][lane] = t_53;
      const double t_54 = t_50 * e_6;
      const double t_55 = __dmul_rn(t_53, t_54);
      slots[17][lane] = t_55;
      slots[18][lane] = __dmul_rn(t_55, t_54);
      slots[19][lane] = e_7;
      const double field_17 = load(mole_fractions, 5, stride, point);
      const double t_56 = __dmul_rn(positive(field_17), 4.244408085940842);
      slots[20][lane] = t_56;
      const double t_57 = t_49 * t_48;
      const double t_58 = __dmul_rn(t_56, t_57);
      slots[21][lane] = t_58;
      slots[22][lane] = __dmul_rn(t_58, t_57);
      slots[23][lane] = e_8;
      // warp 3: species from AR
      const double field_18 = load(mole_fractions, 8, stride, point);
      const double t_59 = __dmul_rn(positive(field_18), 6.320601237224193);
      slots[32][lane] = t_59;
      const double t_60 = fma(fma(0.010819664231332923, ln_t, -0.24675690064432224), ln_t, 2.3410651294810507);
      const double e_9 = singe_exp2_table_within(fma(t_60, ln_t, -16.360566143574356), powers);
      const double t_61 = fma(fma(0.00680111096766307, ln_t, -0.1534135491328559), ln_t, 1.6178265888676915);
      const double e_10 = singe_exp2_table_within(fma(t_61, ln_t, -14.5766498037306), powers);
      const double t_62 = 1.0 / (e_9 * e_10);
      const double t_63 = t_62 * e_10;
      const double t_64 = __dmul_rn(t_59, t_63);
      slots[33][lane] = t_64;
      slots[34][lane] = __dmul_rn(t_64, t_63);
      slots[35][lane] = e_9;
      const double field_19 = load(mole_fractions, 9, stride, point);
      const double t_65 = __dmul_rn(positive(field_19), 5.292825332466584);
      slots[36][lane] = t_65;
      const double t_66 = t_62 * e_9;
      const double t_67 = __dmul_rn(t_65, t_66);
      slots[37][lane] = t_67;
      slots[38][lane] = __dmul_rn(t_67, t_66);
      slots[39][lane] = e_10;
      barrier_sync<0, 128>();
      // phase 2
      // warp 3: rows from AR
      r0 = -0.0;
      r1 = -0.0;
      r2 = -0.0;
      r3 = -0.0;
      r4 = -0.0;
      r5 = -0.0;
      // warp 3: rows from AR
      #pragma unroll 4
      for (int i4 = 0; i4 < 10; ++i4) {
        const double s_18 = slots[i4 * 4][lane];
        const double c_9 = h2o2_viscosity_real_bank[80 + i4];
        const double s_19 = slots[1 + i4 * 4][lane];
        const double s_20 = slots[2 + i4 * 4][lane];
        const double c_10 = h2o2_viscosity_real_bank[90 + i4];
        r0 = fma(c_9, s_18, r0);
        r1 = fma(c_9, s_19, r1);
        r2 = fma(c_9, s_20, r2);
        r3 = fma(c_10, s_18, r3);
        r4 = fma(c_10, s_19, r4);
        r5 = fma(c_10, s_20, r5);
      }
      // warp 3: rows from AR
      const double s_21 = slots[35][lane];
      const double t_68 = fma(s_21, fma(s_21, r2, r1 + r1), r0);
      const double field_20 = load(mole_fractions, 8, stride, point);
      const double s_22 = slots[39][lane];
      const double t_69 = fma(s_22, fma(s_22, r5, r4 + r4), r3);
      const double field_21 = load(mole_fractions, 9, stride, point);
      const double t_70 = positive(field_21) * 5.292825332466584 * (s_22 * s_22) * t_68;
      const double t_71 = fma(positive(field_20) * 6.320601237224193 * (s_21 * s_21), t_69, t_70);
      slots[43][lane] = t_71 / (t_68 * t_69);
      barrier_arrive<1, 128>();
      // phase 3
      barrier_sync<0, 128>();
      break;
    }
    }
  }
}

#ifndef __CUDACC_RTC__
#include "h2o2.h"
#include <cuda_runtime.h>

// Finds the CTAs of the kernel that the current device holds at once. Returns a cudaError_t.
extern "C" int h2o2_viscosity_prepare(int multiprocessors, int *ctas)
{
  const int threads = 128;
  const int dynamic_shared_bytes = 0;
  const void *kernel = (const void *)h2o2_viscosity;
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
static bool h2o2_viscosity_share(const void *a, int a_rows, const void *b, int b_rows, size_t number, int points,
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
extern "C" int h2o2_viscosity_launch(const struct h2o2_context *context, const double *temperature,
    const double *pressure, const double *mole_fractions, double *viscosity, int points, int stride,
    struct CUstream_st *stream)
{
  const int threads = 128;
  const int groups_per_cta = 1;
  const int dynamic_shared_bytes = 0;
  if (!context) return SINGE_NULL_POINTER;
  if (points < 0) return SINGE_INVALID_POINTS;
  if (stride < points) return SINGE_INVALID_STRIDE;
  if (points == 0) return SINGE_SUCCESS;
  if (!temperature) return SINGE_NULL_POINTER;
  if (!pressure) return SINGE_NULL_POINTER;
  if (!mole_fractions) return SINGE_NULL_POINTER;
  if (!viscosity) return SINGE_NULL_POINTER;
  if (h2o2_viscosity_share(viscosity, 1, temperature, 1, sizeof *viscosity, points,
      stride)) return SINGE_OVERLAPPING_ARRAYS;
  if (h2o2_viscosity_share(viscosity, 1, pressure, 1, sizeof *viscosity, points,
      stride)) return SINGE_OVERLAPPING_ARRAYS;
  if (h2o2_viscosity_share(viscosity, 1, mole_fractions, 10, sizeof *viscosity, points,
      stride)) return SINGE_OVERLAPPING_ARRAYS;
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return (int)error;
  if (device != context->device) return SINGE_WRONG_DEVICE;

  // As many CTAs as the device holds at once: each streams over its share of the points and loads its constants once.
  const int groups = points / 32 + (points % 32 != 0);
  const int needed = (groups - 1) / groups_per_cta + 1;
  const int most = context->viscosity_ctas;
  const dim3 grid(needed < most ? needed : most), block(threads);
  void *arguments[] = { &temperature, &pressure, &mole_fractions, &viscosity, &points, &stride };
  // The status of this launch alone: an earlier error of the host stays where cudaGetLastError finds it.
  return (int)cudaLaunchKernel((const void *)h2o2_viscosity, grid, block, arguments, dynamic_shared_bytes, stream);
}
#endif
