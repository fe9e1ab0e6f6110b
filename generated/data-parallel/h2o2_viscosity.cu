// h2o2_viscosity: viscosity of h2o2, made by singe 0.2.0
//
// command     singe mechanisms/h2o2/chem.inp --kernel viscosity --warps 4 --target hopper --codegen data-parallel --emit cuda --verify no-compilers
// input       mechanisms/h2o2/chem.inp sha256 b672951e65e781496dc3dbac71cc1188a40605a11f20f8f00b734de95f70ecc7
// input       mechanisms/h2o2/therm.dat sha256 c0e83a2f1255ee15ce3ffdf5db49e1813d580f7632d8b60c80df5cc9023ad45b
// input       mechanisms/h2o2/tran.dat sha256 377ed79c9f704d6c49a316134f171ad180a1cfde27eadec992dce85edf624272
// form        symmetric, exact to rounding
// target      hopper (compute capability 9.0)
// execution   data-parallel; warps per CTA: 4, CTAs per SM: 1
// barriers    named barriers per CTA: 0
// constants   registers per thread: 0 real, 0 index
// banks       entries: 94 real, 0 index
// slots       44 (11264 bytes of local memory per warp)

// Constants that all lanes of a warp read at one place
static __constant__ double h2o2_viscosity_real_bank[94] = {
  0.6931471805599453, 1.4198591479439078, 0.0007831549211509924, -0.017682845859199398, 0.5977722020218197,
  -11.612970457630992, 0.011571274906378668, -0.26454373626430094, 2.4815426893953014, -16.037321505489878,
  0.004842991449865368, -0.10875511321666731, 1.2783296304674954, -13.29853797215189, 0.007877967501583528,
  -0.1781931689347973, 1.807950339166116, -15.006768160109592, 0.004842991449867423, -0.10875511321671197,
  1.2783296304678178, -13.298537972152662, 1.0039920318408906, 3.9998749980468142, 5.656677470034862, 4.123954412939115,
  0.4980119205559974, 0.5750546327852952, 0.2356041124585535, 0.17146328751063888, 0.22927700291941078,
  0.7042952122737639, 0.24248570664662283, 0.17406183287190788, 0.1767822198273286, 0.14434207805782748,
  0.125003906433115, 0.1428498547851611, 0.2234337036776108, 0.16897775199502918, 0.16659726559488114,
  0.15436584402531847, 0.18248296715045295, 0.22927700291941083, 0.15625381483696968, 0.18562494206472438,
  0.14140297504525345, 0.1336915122080266, 0.15073340649834172, 0.12403091831197144, 0.12308030236948557,
  0.11789371061611124, 0.1290865368652622, 0.13999918800706432, 0.1325032244223844, 0.1490364273897514,
  4.244408085940842, -0.014657906382325073, 0.24845856756213702, -0.6250409025532503, -11.126301017079417,
  0.00787796750159, -0.17819316893493772, 1.807950339167127, -15.006768160112012, 0.007877967501581257,
  -0.17819316893474782, 1.8079503391657574, -15.006768160108727, 0.010819664231332923, -0.24675690064432224,
  2.3410651294810507, -16.360566143574356, 0.00680111096766307, -0.1534135491328559, 1.6178265888676915,
  -14.5766498037306, 5.745084855770191, 5.832152261386872, 6.320601237224193, 5.292825332466584, 0.13863639621878496,
  0.13134606911970886, 0.1473955018497629, 0.12215121419215742, 0.11707643582382288, 0.1280158954404281,
  0.12124285332331142, 0.11627592551775516, 0.12697145926183326, 0.11187334157740447, 0.12129992557281451,
  0.13359722582362618, 2.8284271247461903,
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

// Row of a field-major output at one point, for the lanes whose point exists.
static __device__ __forceinline__ void store(double *field, int row, int stride, int point, bool active, double value)
{
  if (active) field[(size_t)row * stride + point] = value;
}

// Starts to copy a row of a field-major input at one point to shared memory.
static __device__ __forceinline__ void copy_async(double *to, const double *field, int row, int stride, int point)
{
  const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;"
               : : "r"(shared), "l"(field + (size_t)row * stride + point) : "memory");
}

// The copies since the last call are a batch.
static __device__ __forceinline__ void commit_copies()
{
  asm volatile("cp.async.commit_group;" : : : "memory");
}

// Waits until at most so many batches of this thread's copies are under way.
template <int batches> static __device__ __forceinline__ void await_copies()
{
  asm volatile("cp.async.wait_group %0;" : : "n"(batches) : "memory");
}

static __device__ __forceinline__ double select_le(double a, double b, double then, double otherwise)
{
  return a <= b ? then : otherwise;
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
  __shared__ double slots[44][32];
  const int warp_id = threadIdx.x >> 5;
  const int lane = threadIdx.x & 31;
  __shared__ double powers[256];
  for (int i = threadIdx.x; i < 256; i += 128) powers[i] = h2o2_viscosity_powers[i];
  __syncthreads();
  const int groups = points / 32 + (points % 32 != 0);
  const int inputs = warp_id * 11;
  if (blockIdx.x * 4 + warp_id < groups) {
    const int next_point = min((blockIdx.x * 4 + warp_id) * 32 + lane, points - 1);
    copy_async(&slots[inputs][lane], temperature, 0, stride, next_point);
    copy_async(&slots[inputs + 1][lane], mole_fractions, 0, stride, next_point);
    copy_async(&slots[inputs + 2][lane], mole_fractions, 1, stride, next_point);
    copy_async(&slots[inputs + 3][lane], mole_fractions, 2, stride, next_point);
    copy_async(&slots[inputs + 4][lane], mole_fractions, 3, stride, next_point);
    copy_async(&slots[inputs + 5][lane], mole_fractions, 4, stride, next_point);
    copy_async(&slots[inputs + 6][lane], mole_fractions, 5, stride, next_point);
    copy_async(&slots[inputs + 7][lane], mole_fractions, 6, stride, next_point);
    copy_async(&slots[inputs + 8][lane], mole_fractions, 7, stride, next_point);
  }
  commit_copies();
  if (blockIdx.x * 4 + warp_id < groups) {
    const int next_point = min((blockIdx.x * 4 + warp_id) * 32 + lane, points - 1);
    copy_async(&slots[inputs + 9][lane], mole_fractions, 8, stride, next_point);
    copy_async(&slots[inputs + 10][lane], mole_fractions, 9, stride, next_point);
  }
  commit_copies();
  for (int group = blockIdx.x * 4 + warp_id; group < groups; group += gridDim.x * 4) {
    const bool active = group * 32 + lane < points;
    const int point = min(group * 32 + lane, points - 1);
    await_copies<1>();
    const double field = slots[inputs][lane];
    const double t = select_le(field, 10000.0, field, __longlong_as_double(0x7ff8000000000000LL));
    const double ln_t = __dmul_rn(singe_log2(select_le(100.0, t, t, __longlong_as_double(0x7ff8000000000000LL)),
        h2o2_viscosity_logarithms), h2o2_viscosity_real_bank[0]);
    // species from H2
    const double field_2 = slots[inputs + 1][lane];
    const double w_H2 = positive(field_2) * h2o2_viscosity_real_bank[1];
    const double t_2 = fma(fma(h2o2_viscosity_real_bank[2], ln_t, h2o2_viscosity_real_bank[3]), ln_t,
        h2o2_viscosity_real_bank[4]);
    const double e_H2 = singe_exp2_table_within(fma(t_2, ln_t, h2o2_viscosity_real_bank[5]), powers);
    const double t_3 = fma(fma(h2o2_viscosity_real_bank[6], ln_t, h2o2_viscosity_real_bank[7]), ln_t,
        h2o2_viscosity_real_bank[8]);
    const double e_H = singe_exp2_table_within(fma(t_3, ln_t, h2o2_viscosity_real_bank[9]), powers);
    const double t_4 = fma(fma(h2o2_viscosity_real_bank[10], ln_t, h2o2_viscosity_real_bank[11]), ln_t,
        h2o2_viscosity_real_bank[12]);
    const double e_O = singe_exp2_table_within(fma(t_4, ln_t, h2o2_viscosity_real_bank[13]), powers);
    const double t_5 = fma(fma(h2o2_viscosity_real_bank[14], ln_t, h2o2_viscosity_real_bank[15]), ln_t,
        h2o2_viscosity_real_bank[16]);
    const double e_O2 = singe_exp2_table_within(fma(t_5, ln_t, h2o2_viscosity_real_bank[17]), powers);
    const double t_6 = fma(fma(h2o2_viscosity_real_bank[18], ln_t, h2o2_viscosity_real_bank[19]), ln_t,
        h2o2_viscosity_real_bank[20]);
    const double e_OH = singe_exp2_table_within(fma(t_6, ln_t, h2o2_viscosity_real_bank[21]), powers);
    const double t_7 = e_H2 * e_H;
    const double t_8 = t_7 * e_O;
    const double t_9 = t_8 * e_O2;
    const double t_10 = 1.0 / (t_9 * e_OH);
    const double t_11 = t_10 * e_OH;
    const double t_12 = t_11 * e_O2;
    const double t_13 = t_12 * e_O;
    const double t_14 = t_13 * e_H;
    const double w_e_H2 = w_H2 * t_14;
    const double w_e2_H2 = w_e_H2 * t_14;
    const double field_3 = slots[inputs + 2][lane];
    const double w_H = positive(field_3) * h2o2_viscosity_real_bank[22];
    const double t_15 = t_13 * e_H2;
    const double w_e_H = w_H * t_15;
    const double w_e2_H = w_e_H * t_15;
    const double field_4 = slots[inputs + 3][lane];
    const double w_O = positive(field_4) * h2o2_viscosity_real_bank[23];
    const double t_16 = t_12 * t_7;
    const double w_e_O = w_O * t_16;
    const double w_e2_O = w_e_O * t_16;
    const double field_5 = slots[inputs + 4][lane];
    const double w_O2 = positive(field_5) * h2o2_viscosity_real_bank[24];
    const double t_17 = t_11 * t_8;
    const double w_e_O2 = w_O2 * t_17;
    const double w_e2_O2 = w_e_O2 * t_17;
    const double field_6 = slots[inputs + 5][lane];
    const double w_OH = positive(field_6) * h2o2_viscosity_real_bank[25];
    const double t_18 = t_10 * t_9;
    const double w_e_OH = w_OH * t_18;
    const double w_e2_OH = w_e_OH * t_18;
    // rows from H2
    const double c = h2o2_viscosity_real_bank[26];
    const double rows_from_H2 = c * w_H2;
    const double rows_from_H2_2 = c * w_e_H2;
    const double rows_from_H2_3 = c * w_e2_H2;
    const double c_2 = h2o2_viscosity_real_bank[27];
    const double rows_from_H2_4 = c_2 * w_H2;
    const double rows_from_H2_5 = c_2 * w_e_H2;
    const double rows_from_H2_6 = c_2 * w_e2_H2;
    const double c_3 = h2o2_viscosity_real_bank[28];
    const double rows_from_H2_7 = c_3 * w_H2;
    const double rows_from_H2_8 = c_3 * w_e_H2;
    const double rows_from_H2_9 = c_3 * w_e2_H2;
    const double c_4 = h2o2_viscosity_real_bank[29];
    const double rows_from_H2_10 = c_4 * w_H2;
    const double rows_from_H2_11 = c_4 * w_e_H2;
    const double rows_from_H2_12 = c_4 * w_e2_H2;
    const double c_5 = h2o2_viscosity_real_bank[30];
    const double rows_from_H2_13 = c_5 * w_H2;
    const double rows_from_H2_14 = c_5 * w_e_H2;
    const double rows_from_H2_15 = c_5 * w_e2_H2;
    const double c_6 = h2o2_viscosity_real_bank[27];
    const double rows_from_H2_16 = fma(c_6, w_H, rows_from_H2);
    const double rows_from_H2_17 = fma(c_6, w_e_H, rows_from_H2_2);
    const double rows_from_H2_18 = fma(c_6, w_e2_H, rows_from_H2_3);
    const double c_7 = h2o2_viscosity_real_bank[31];
    const double rows_from_H2_19 = fma(c_7, w_H, rows_from_H2_4);
    const double rows_from_H2_20 = fma(c_7, w_e_H, rows_from_H2_5);
    const double rows_from_H2_21 = fma(c_7, w_e2_H, rows_from_H2_6);
    const double c_8 = h2o2_viscosity_real_bank[32];
    const double rows_from_H2_22 = fma(c_8, w_H, rows_from_H2_7);
    const double rows_from_H2_23 = fma(c_8, w_e_H, rows_from_H2_8);
    const double rows_from_H2_24 = fma(c_8, w_e2_H, rows_from_H2_9);
    const double c_9 = h2o2_viscosity_real_bank[33];
    const double rows_from_H2_25 = fma(c_9, w_H, rows_from_H2_10);
    const double rows_from_H2_26 = fma(c_9, w_e_H, rows_from_H2_11);
    const double rows_from_H2_27 = fma(c_9, w_e2_H, rows_from_H2_12);
    const double c_10 = h2o2_viscosity_real_bank[28];
    const double rows_from_H2_28 = fma(c_10, w_H, rows_from_H2_13);
    const double rows_from_H2_29 = fma(c_10, w_e_H, rows_from_H2_14);
    const double rows_from_H2_30 = fma(c_10, w_e2_H, rows_from_H2_15);
    const double c_11 = h2o2_viscosity_real_bank[28];
    const double rows_from_H2_31 = fma(c_11, w_O, rows_from_H2_16);
    const double rows_from_H2_32 = fma(c_11, w_e_O, rows_from_H2_17);
    const double rows_from_H2_33 = fma(c_11, w_e2_O, rows_from_H2_18);
    const double c_12 = h2o2_viscosity_real_bank[32];
    const double rows_from_H2_34 = fma(c_12, w_O, rows_from_H2_19);
    const double rows_from_H2_35 = fma(c_12, w_e_O, rows_from_H2_20);
    const double rows_from_H2_36 = fma(c_12, w_e2_O, rows_from_H2_21);
    const double c_13 = h2o2_viscosity_real_bank[34];
    const double rows_from_H2_37 = fma(c_13, w_O, rows_from_H2_22);
    const double rows_from_H2_38 = fma(c_13, w_e_O, rows_from_H2_23);
    const double rows_from_H2_39 = fma(c_13, w_e2_O, rows_from_H2_24);
    const double c_14 = h2o2_viscosity_real_bank[35];
    const double rows_from_H2_40 = fma(c_14, w_O, rows_from_H2_25);
    const double rows_from_H2_41 = fma(c_14, w_e_O, rows_from_H2_26);
    const double rows_from_H2_42 = fma(c_14, w_e2_O, rows_from_H2_27);
    const double c_15 = h2o2_viscosity_real_bank[33];
    const double rows_from_H2_43 = fma(c_15, w_O, rows_from_H2_28);
    const double rows_from_H2_44 = fma(c_15, w_e_O, rows_from_H2_29);
    const double rows_from_H2_45 = fma(c_15, w_e2_O, rows_from_H2_30);
    const double c_16 = h2o2_viscosity_real_bank[29];
    const double rows_from_H2_46 = fma(c_16, w_O2, rows_from_H2_31);
    const double rows_from_H2_47 = fma(c_16, w_e_O2, rows_from_H2_32);
    const double rows_from_H2_48 = fma(c_16, w_e2_O2, rows_from_H2_33);
    const double c_17 = h2o2_viscosity_real_bank[33];
    const double rows_from_H2_49 = fma(c_17, w_O2, rows_from_H2_34);
    const double rows_from_H2_50 = fma(c_17, w_e_O2, rows_from_H2_35);
    const double rows_from_H2_51 = fma(c_17, w_e2_O2, rows_from_H2_36);
    const double c_18 = h2o2_viscosity_real_bank[35];
    const double rows_from_H2_52 = fma(c_18, w_O2, rows_from_H2_37);
    const double rows_from_H2_53 = fma(c_18, w_e_O2, rows_from_H2_38);
    const double rows_from_H2_54 = fma(c_18, w_e2_O2, rows_from_H2_39);
    const double c_19 = h2o2_viscosity_real_bank[36];
    const double rows_from_H2_55 = fma(c_19, w_O2, rows_from_H2_40);
    const double rows_from_H2_56 = fma(c_19, w_e_O2, rows_from_H2_41);
    const double rows_from_H2_57 = fma(c_19, w_e2_O2, rows_from_H2_42);
    const double c_20 = h2o2_viscosity_real_bank[37];
    const double rows_from_H2_58 = fma(c_20, w_O2, rows_from_H2_43);
    const double rows_from_H2_59 = fma(c_20, w_e_O2, rows_from_H2_44);
    const double rows_from_H2_60 = fma(c_20, w_e2_O2, rows_from_H2_45);
    const double c_21 = h2o2_viscosity_real_bank[30];
    const double rows_from_H2_61 = fma(c_21, w_OH, rows_from_H2_46);
    const double rows_from_H2_62 = fma(c_21, w_e_OH, rows_from_H2_47);
    const double rows_from_H2_63 = fma(c_21, w_e2_OH, rows_from_H2_48);
    const double c_22 = h2o2_viscosity_real_bank[28];
    const double rows_from_H2_64 = fma(c_22, w_OH, rows_from_H2_49);
    const double rows_from_H2_65 = fma(c_22, w_e_OH, rows_from_H2_50);
    const double rows_from_H2_66 = fma(c_22, w_e2_OH, rows_from_H2_51);
    const double c_23 = h2o2_viscosity_real_bank[33];
    const double rows_from_H2_67 = fma(c_23, w_OH, rows_from_H2_52);
    const double rows_from_H2_68 = fma(c_23, w_e_OH, rows_from_H2_53);
    const double rows_from_H2_69 = fma(c_23, w_e2_OH, rows_from_H2_54);
    const double c_24 = h2o2_viscosity_real_bank[37];
    const double rows_from_H2_70 = fma(c_24, w_OH, rows_from_H2_55);
    const double rows_from_H2_71 = fma(c_24, w_e_OH, rows_from_H2_56);
    const double rows_from_H2_72 = fma(c_24, w_e2_OH, rows_from_H2_57);
    const double c_25 = h2o2_viscosity_real_bank[29];
    const double rows_from_H2_73 = fma(c_25, w_OH, rows_from_H2_58);
    const double rows_from_H2_74 = fma(c_25, w_e_OH, rows_from_H2_59);
    const double rows_from_H2_75 = fma(c_25, w_e2_OH, rows_from_H2_60);
    // rows from H2O
    const double c_26 = h2o2_viscosity_real_bank[38];
    const double rows_from_H2O = c_26 * w_H2;
    const double rows_from_H2O_2 = c_26 * w_e_H2;
    const double rows_from_H2O_3 = c_26 * w_e2_H2;
    const double c_27 = h2o2_viscosity_real_bank[39];
    const double rows_from_H2O_4 = c_27 * w_H2;
    const double rows_from_H2O_5 = c_27 * w_e_H2;
    const double rows_from_H2O_6 = c_27 * w_e2_H2;
    const double c_28 = h2o2_viscosity_real_bank[40];
    const double rows_from_H2O_7 = c_28 * w_H2;
    const double rows_from_H2O_8 = c_28 * w_e_H2;
    const double rows_from_H2O_9 = c_28 * w_e2_H2;
    const double c_29 = h2o2_viscosity_real_bank[41];
    const double rows_from_H2O_10 = c_29 * w_H2;
    const double rows_from_H2O_11 = c_29 * w_e_H2;
    const double rows_from_H2O_12 = c_29 * w_e2_H2;
    const double c_30 = h2o2_viscosity_real_bank[42];
    const double rows_from_H2O_13 = c_30 * w_H2;
    const double rows_from_H2O_14 = c_30 * w_e_H2;
    const double rows_from_H2O_15 = c_30 * w_e2_H2;
    const double c_31 = h2o2_viscosity_real_bank[43];
    const double rows_from_H2O_16 = fma(c_31, w_H, rows_from_H2O);
    const double rows_from_H2O_17 = fma(c_31, w_e_H, rows_from_H2O_2);
    const double rows_from_H2O_18 = fma(c_31, w_e2_H, rows_from_H2O_3);
    const double c_32 = h2o2_viscosity_real_bank[29];
    const double rows_from_H2O_19 = fma(c_32, w_H, rows_from_H2O_4);
    const double rows_from_H2O_20 = fma(c_32, w_e_H, rows_from_H2O_5);
    const double rows_from_H2O_21 = fma(c_32, w_e2_H, rows_from_H2O_6);
    const double c_33 = h2o2_viscosity_real_bank[39];
    const double rows_from_H2O_22 = fma(c_33, w_H, rows_from_H2O_7);
    const double rows_from_H2O_23 = fma(c_33, w_e_H, rows_from_H2O_8);
    const double rows_from_H2O_24 = fma(c_33, w_e2_H, rows_from_H2O_9);
    const double c_34 = h2o2_viscosity_real_bank[44];
    const double rows_from_H2O_25 = fma(c_34, w_H, rows_from_H2O_10);
    const double rows_from_H2O_26 = fma(c_34, w_e_H, rows_from_H2O_11);
    const double rows_from_H2O_27 = fma(c_34, w_e2_H, rows_from_H2O_12);
    const double c_35 = h2o2_viscosity_real_bank[45];
    const double rows_from_H2O_28 = fma(c_35, w_H, rows_from_H2O_13);
    const double rows_from_H2O_29 = fma(c_35, w_e_H, rows_from_H2O_14);
    const double rows_from_H2O_30 = fma(c_35, w_e2_H, rows_from_H2O_15);
    const double c_36 = h2o2_viscosity_real_bank[29];
    const double rows_from_H2O_31 = fma(c_36, w_O, rows_from_H2O_16);
    const double rows_from_H2O_32 = fma(c_36, w_e_O, rows_from_H2O_17);
    const double rows_from_H2O_33 = fma(c_36, w_e2_O, rows_from_H2O_18);
    const double c_37 = h2o2_viscosity_real_bank[37];
    const double rows_from_H2O_34 = fma(c_37, w_O, rows_from_H2O_19);
    const double rows_from_H2O_35 = fma(c_37, w_e_O, rows_from_H2O_20);
    const double rows_from_H2O_36 = fma(c_37, w_e2_O, rows_from_H2O_21);
    const double c_38 = h2o2_viscosity_real_bank[46];
    const double rows_from_H2O_37 = fma(c_38, w_O, rows_from_H2O_22);
    const double rows_from_H2O_38 = fma(c_38, w_e_O, rows_from_H2O_23);
    const double rows_from_H2O_39 = fma(c_38, w_e2_O, rows_from_H2O_24);
    const double c_39 = h2o2_viscosity_real_bank[47];
    const double rows_from_H2O_40 = fma(c_39, w_O, rows_from_H2O_25);
    const double rows_from_H2O_41 = fma(c_39, w_e_O, rows_from_H2O_26);
    const double rows_from_H2O_42 = fma(c_39, w_e2_O, rows_from_H2O_27);
    const double c_40 = h2o2_viscosity_real_bank[48];
    const double rows_from_H2O_43 = fma(c_40, w_O, rows_from_H2O_28);
    const double rows_from_H2O_44 = fma(c_40, w_e_O, rows_from_H2O_29);
    const double rows_from_H2O_45 = fma(c_40, w_e2_O, rows_from_H2O_30);
    const double c_41 = h2o2_viscosity_real_bank[46];
    const double rows_from_H2O_46 = fma(c_41, w_O2, rows_from_H2O_31);
    const double rows_from_H2O_47 = fma(c_41, w_e_O2, rows_from_H2O_32);
    const double rows_from_H2O_48 = fma(c_41, w_e2_O2, rows_from_H2O_33);
    const double c_42 = h2o2_viscosity_real_bank[49];
    const double rows_from_H2O_49 = fma(c_42, w_O2, rows_from_H2O_34);
    const double rows_from_H2O_50 = fma(c_42, w_e_O2, rows_from_H2O_35);
    const double rows_from_H2O_51 = fma(c_42, w_e2_O2, rows_from_H2O_36);
    const double c_43 = h2o2_viscosity_real_bank[50];
    const double rows_from_H2O_52 = fma(c_43, w_O2, rows_from_H2O_37);
    const double rows_from_H2O_53 = fma(c_43, w_e_O2, rows_from_H2O_38);
    const double rows_from_H2O_54 = fma(c_43, w_e2_O2, rows_from_H2O_39);
    const double c_44 = h2o2_viscosity_real_bank[51];
    const double rows_from_H2O_55 = fma(c_44, w_O2, rows_from_H2O_40);
    const double rows_from_H2O_56 = fma(c_44, w_e_O2, rows_from_H2O_41);
    const double rows_from_H2O_57 = fma(c_44, w_e2_O2, rows_from_H2O_42);
    const double c_45 = h2o2_viscosity_real_bank[52];
    const double rows_from_H2O_58 = fma(c_45, w_O2, rows_from_H2O_43);
    const double rows_from_H2O_59 = fma(c_45, w_e_O2, rows_from_H2O_44);
    const double rows_from_H2O_60 = fma(c_45, w_e2_O2, rows_from_H2O_45);
    const double c_46 = h2o2_viscosity_real_bank[39];
    const double rows_from_H2O_61 = fma(c_46, w_OH, rows_from_H2O_46);
    const double rows_from_H2O_62 = fma(c_46, w_e_OH, rows_from_H2O_47);
    const double rows_from_H2O_63 = fma(c_46, w_e2_OH, rows_from_H2O_48);
    const double c_47 = h2o2_viscosity_real_bank[46];
    const double rows_from_H2O_64 = fma(c_47, w_OH, rows_from_H2O_49);
    const double rows_from_H2O_65 = fma(c_47, w_e_OH, rows_from_H2O_50);
    const double rows_from_H2O_66 = fma(c_47, w_e2_OH, rows_from_H2O_51);
    const double c_48 = h2o2_viscosity_real_bank[53];
    const double rows_from_H2O_67 = fma(c_48, w_OH, rows_from_H2O_52);
    const double rows_from_H2O_68 = fma(c_48, w_e_OH, rows_from_H2O_53);
    const double rows_from_H2O_69 = fma(c_48, w_e2_OH, rows_from_H2O_54);
    const double c_49 = h2o2_viscosity_real_bank[54];
    const double rows_from_H2O_70 = fma(c_49, w_OH, rows_from_H2O_55);
    const double rows_from_H2O_71 = fma(c_49, w_e_OH, rows_from_H2O_56);
    const double rows_from_H2O_72 = fma(c_49, w_e2_OH, rows_from_H2O_57);
    const double c_50 = h2o2_viscosity_real_bank[55];
    const double rows_from_H2O_73 = fma(c_50, w_OH, rows_from_H2O_58);
    const double rows_from_H2O_74 = fma(c_50, w_e_OH, rows_from_H2O_59);
    const double rows_from_H2O_75 = fma(c_50, w_e2_OH, rows_from_H2O_60);
    // species from H2O
    const double field_7 = slots[inputs + 6][lane];
    const double w_H2O = positive(field_7) * h2o2_viscosity_real_bank[56];
    const double t_19 = fma(fma(h2o2_viscosity_real_bank[57], ln_t, h2o2_viscosity_real_bank[58]), ln_t,
        h2o2_viscosity_real_bank[59]);
    const double e_H2O = singe_exp2_table_within(fma(t_19, ln_t, h2o2_viscosity_real_bank[60]), powers);
    const double t_20 = fma(fma(h2o2_viscosity_real_bank[61], ln_t, h2o2_viscosity_real_bank[62]), ln_t,
        h2o2_viscosity_real_bank[63]);
    const double e_HO2 = singe_exp2_table_within(fma(t_20, ln_t, h2o2_viscosity_real_bank[64]), powers);
    const double t_21 = fma(fma(h2o2_viscosity_real_bank[65], ln_t, h2o2_viscosity_real_bank[66]), ln_t,
        h2o2_viscosity_real_bank[67]);
    const double e_H2O2 = singe_exp2_table_within(fma(t_21, ln_t, h2o2_viscosity_real_bank[68]), powers);
    const double t_22 = fma(fma(h2o2_viscosity_real_bank[69], ln_t, h2o2_viscosity_real_bank[70]), ln_t,
        h2o2_viscosity_real_bank[71]);
    const double e_AR = singe_exp2_table_within(fma(t_22, ln_t, h2o2_viscosity_real_bank[72]), powers);
    const double t_23 = fma(fma(h2o2_viscosity_real_bank[73], ln_t, h2o2_viscosity_real_bank[74]), ln_t,
        h2o2_viscosity_real_bank[75]);
    const double e_N2 = singe_exp2_table_within(fma(t_23, ln_t, h2o2_viscosity_real_bank[76]), powers);
    const double t_24 = e_H2O * e_HO2;
    const double t_25 = t_24 * e_H2O2;
    const double t_26 = t_25 * e_AR;
    const double t_27 = 1.0 / (t_26 * e_N2);
    const double t_28 = t_27 * e_N2;
    const double t_29 = t_28 * e_AR;
    const double t_30 = t_29 * e_H2O2;
    const double t_31 = t_30 * e_HO2;
    const double w_e_H2O = w_H2O * t_31;
    const double w_e2_H2O = w_e_H2O * t_31;
    const double field_8 = slots[inputs + 7][lane];
    const double w_HO2 = positive(field_8) * h2o2_viscosity_real_bank[77];
    const double t_32 = t_30 * e_H2O;
    const double w_e_HO2 = w_HO2 * t_32;
    const double w_e2_HO2 = w_e_HO2 * t_32;
    const double field_9 = slots[inputs + 8][lane];
    const double w_H2O2 = positive(field_9) * h2o2_viscosity_real_bank[78];
    const double t_33 = t_29 * t_24;
    const double w_e_H2O2 = w_H2O2 * t_33;
    const double w_e2_H2O2 = w_e_H2O2 * t_33;
    await_copies<0>();
    const double field_10 = slots[inputs + 9][lane];
    const double w_AR = positive(field_10) * h2o2_viscosity_real_bank[79];
    const double t_34 = t_28 * t_25;
    const double w_e_AR = w_AR * t_34;
    const double w_e2_AR = w_e_AR * t_34;
    const double field_11 = slots[inputs + 10][lane];
    const double w_N2 = positive(field_11) * h2o2_viscosity_real_bank[80];
    const double t_35 = t_27 * t_26;
    const double w_e_N2 = w_N2 * t_35;
    const double w_e2_N2 = w_e_N2 * t_35;
    // rows from H2
    const double c_51 = h2o2_viscosity_real_bank[38];
    const double rows_from_H2_76 = fma(c_51, w_H2O, rows_from_H2_61);
    const double rows_from_H2_77 = fma(c_51, w_e_H2O, rows_from_H2_62);
    const double rows_from_H2_78 = fma(c_51, w_e2_H2O, rows_from_H2_63);
    const double c_52 = h2o2_viscosity_real_bank[43];
    const double rows_from_H2_79 = fma(c_52, w_H2O, rows_from_H2_64);
    const double rows_from_H2_80 = fma(c_52, w_e_H2O, rows_from_H2_65);
    const double rows_from_H2_81 = fma(c_52, w_e2_H2O, rows_from_H2_66);
    const double c_53 = h2o2_viscosity_real_bank[29];
    const double rows_from_H2_82 = fma(c_53, w_H2O, rows_from_H2_67);
    const double rows_from_H2_83 = fma(c_53, w_e_H2O, rows_from_H2_68);
    const double rows_from_H2_84 = fma(c_53, w_e2_H2O, rows_from_H2_69);
    const double c_54 = h2o2_viscosity_real_bank[46];
    const double rows_from_H2_85 = fma(c_54, w_H2O, rows_from_H2_70);
    const double rows_from_H2_86 = fma(c_54, w_e_H2O, rows_from_H2_71);
    const double rows_from_H2_87 = fma(c_54, w_e2_H2O, rows_from_H2_72);
    const double c_55 = h2o2_viscosity_real_bank[39];
    const double rows_from_H2_88 = fma(c_55, w_H2O, rows_from_H2_73);
    const double rows_from_H2_89 = fma(c_55, w_e_H2O, rows_from_H2_74);
    const double rows_from_H2_90 = fma(c_55, w_e2_H2O, rows_from_H2_75);
    // rows from H2O
    const double c_56 = h2o2_viscosity_real_bank[40];
    const double rows_from_H2O_76 = fma(c_56, w_H2O, rows_from_H2O_61);
    const double rows_from_H2O_77 = fma(c_56, w_e_H2O, rows_from_H2O_62);
    const double rows_from_H2O_78 = fma(c_56, w_e2_H2O, rows_from_H2O_63);
    const double c_57 = h2o2_viscosity_real_bank[53];
    const double rows_from_H2O_79 = fma(c_57, w_H2O, rows_from_H2O_64);
    const double rows_from_H2O_80 = fma(c_57, w_e_H2O, rows_from_H2O_65);
    const double rows_from_H2O_81 = fma(c_57, w_e2_H2O, rows_from_H2O_66);
    const double c_58 = h2o2_viscosity_real_bank[81];
    const double rows_from_H2O_82 = fma(c_58, w_H2O, rows_from_H2O_67);
    const double rows_from_H2O_83 = fma(c_58, w_e_H2O, rows_from_H2O_68);
    const double rows_from_H2O_84 = fma(c_58, w_e2_H2O, rows_from_H2O_69);
    const double c_59 = h2o2_viscosity_real_bank[82];
    const double rows_from_H2O_85 = fma(c_59, w_H2O, rows_from_H2O_70);
    const double rows_from_H2O_86 = fma(c_59, w_e_H2O, rows_from_H2O_71);
    const double rows_from_H2O_87 = fma(c_59, w_e2_H2O, rows_from_H2O_72);
    const double c_60 = h2o2_viscosity_real_bank[83];
    const double rows_from_H2O_88 = fma(c_60, w_H2O, rows_from_H2O_73);
    const double rows_from_H2O_89 = fma(c_60, w_e_H2O, rows_from_H2O_74);
    const double rows_from_H2O_90 = fma(c_60, w_e2_H2O, rows_from_H2O_75);
    // rows from H2
    const double c_61 = h2o2_viscosity_real_bank[39];
    const double rows_from_H2_91 = fma(c_61, w_HO2, rows_from_H2_76);
    const double rows_from_H2_92 = fma(c_61, w_e_HO2, rows_from_H2_77);
    const double rows_from_H2_93 = fma(c_61, w_e2_HO2, rows_from_H2_78);
    const double c_62 = h2o2_viscosity_real_bank[29];
    const double rows_from_H2_94 = fma(c_62, w_HO2, rows_from_H2_79);
    const double rows_from_H2_95 = fma(c_62, w_e_HO2, rows_from_H2_80);
    const double rows_from_H2_96 = fma(c_62, w_e2_HO2, rows_from_H2_81);
    const double c_63 = h2o2_viscosity_real_bank[37];
    const double rows_from_H2_97 = fma(c_63, w_HO2, rows_from_H2_82);
    const double rows_from_H2_98 = fma(c_63, w_e_HO2, rows_from_H2_83);
    const double rows_from_H2_99 = fma(c_63, w_e2_HO2, rows_from_H2_84);
    const double c_64 = h2o2_viscosity_real_bank[49];
    const double rows_from_H2_100 = fma(c_64, w_HO2, rows_from_H2_85);
    const double rows_from_H2_101 = fma(c_64, w_e_HO2, rows_from_H2_86);
    const double rows_from_H2_102 = fma(c_64, w_e2_HO2, rows_from_H2_87);
    const double c_65 = h2o2_viscosity_real_bank[46];
    const double rows_from_H2_103 = fma(c_65, w_HO2, rows_from_H2_88);
    const double rows_from_H2_104 = fma(c_65, w_e_HO2, rows_from_H2_89);
    const double rows_from_H2_105 = fma(c_65, w_e2_HO2, rows_from_H2_90);
    // rows from H2O
    const double c_66 = h2o2_viscosity_real_bank[53];
    const double rows_from_H2O_91 = fma(c_66, w_HO2, rows_from_H2O_76);
    const double rows_from_H2O_92 = fma(c_66, w_e_HO2, rows_from_H2O_77);
    const double rows_from_H2O_93 = fma(c_66, w_e2_HO2, rows_from_H2O_78);
    const double c_67 = h2o2_viscosity_real_bank[50];
    const double rows_from_H2O_94 = fma(c_67, w_HO2, rows_from_H2O_79);
    const double rows_from_H2O_95 = fma(c_67, w_e_HO2, rows_from_H2O_80);
    const double rows_from_H2O_96 = fma(c_67, w_e2_HO2, rows_from_H2O_81);
    const double c_68 = h2o2_viscosity_real_bank[84];
    const double rows_from_H2O_97 = fma(c_68, w_HO2, rows_from_H2O_82);
    const double rows_from_H2O_98 = fma(c_68, w_e_HO2, rows_from_H2O_83);
    const double rows_from_H2O_99 = fma(c_68, w_e2_HO2, rows_from_H2O_84);
    const double c_69 = h2o2_viscosity_real_bank[85];
    const double rows_from_H2O_100 = fma(c_69, w_HO2, rows_from_H2O_85);
    const double rows_from_H2O_101 = fma(c_69, w_e_HO2, rows_from_H2O_86);
    const double rows_from_H2O_102 = fma(c_69, w_e2_HO2, rows_from_H2O_87);
    const double c_70 = h2o2_viscosity_real_bank[86];
    const double rows_from_H2O_103 = fma(c_70, w_HO2, rows_from_H2O_88);
    const double rows_from_H2O_104 = fma(c_70, w_e_HO2, rows_from_H2O_89);
    const double rows_from_H2O_105 = fma(c_70, w_e2_HO2, rows_from_H2O_90);
    // rows from H2
    const double c_71 = h2o2_viscosity_real_bank[40];
    const double rows_from_H2_106 = fma(c_71, w_H2O2, rows_from_H2_91);
    const double rows_from_H2_107 = fma(c_71, w_e_H2O2, rows_from_H2_92);
    const double rows_from_H2_108 = fma(c_71, w_e2_H2O2, rows_from_H2_93);
    const double c_72 = h2o2_viscosity_real_bank[39];
    const double rows_from_H2_109 = fma(c_72, w_H2O2, rows_from_H2_94);
    const double rows_from_H2_110 = fma(c_72, w_e_H2O2, rows_from_H2_95);
    const double rows_from_H2_111 = fma(c_72, w_e2_H2O2, rows_from_H2_96);
    const double c_73 = h2o2_viscosity_real_bank[46];
    const double rows_from_H2_112 = fma(c_73, w_H2O2, rows_from_H2_97);
    const double rows_from_H2_113 = fma(c_73, w_e_H2O2, rows_from_H2_98);
    const double rows_from_H2_114 = fma(c_73, w_e2_H2O2, rows_from_H2_99);
    const double c_74 = h2o2_viscosity_real_bank[50];
    const double rows_from_H2_115 = fma(c_74, w_H2O2, rows_from_H2_100);
    const double rows_from_H2_116 = fma(c_74, w_e_H2O2, rows_from_H2_101);
    const double rows_from_H2_117 = fma(c_74, w_e2_H2O2, rows_from_H2_102);
    const double c_75 = h2o2_viscosity_real_bank[53];
    const double rows_from_H2_118 = fma(c_75, w_H2O2, rows_from_H2_103);
    const double rows_from_H2_119 = fma(c_75, w_e_H2O2, rows_from_H2_104);
    const double rows_from_H2_120 = fma(c_75, w_e2_H2O2, rows_from_H2_105);
    // rows from H2O
    const double c_76 = h2o2_viscosity_real_bank[81];
    const double rows_from_H2O_106 = fma(c_76, w_H2O2, rows_from_H2O_91);
    const double rows_from_H2O_107 = fma(c_76, w_e_H2O2, rows_from_H2O_92);
    const double rows_from_H2O_108 = fma(c_76, w_e2_H2O2, rows_from_H2O_93);
    const double c_77 = h2o2_viscosity_real_bank[84];
    const double rows_from_H2O_109 = fma(c_77, w_H2O2, rows_from_H2O_94);
    const double rows_from_H2O_110 = fma(c_77, w_e_H2O2, rows_from_H2O_95);
    const double rows_from_H2O_111 = fma(c_77, w_e2_H2O2, rows_from_H2O_96);
    const double c_78 = h2o2_viscosity_real_bank[87];
    const double rows_from_H2O_112 = fma(c_78, w_H2O2, rows_from_H2O_97);
    const double rows_from_H2O_113 = fma(c_78, w_e_H2O2, rows_from_H2O_98);
    const double rows_from_H2O_114 = fma(c_78, w_e2_H2O2, rows_from_H2O_99);
    const double c_79 = h2o2_viscosity_real_bank[88];
    const double rows_from_H2O_115 = fma(c_79, w_H2O2, rows_from_H2O_100);
    const double rows_from_H2O_116 = fma(c_79, w_e_H2O2, rows_from_H2O_101);
    const double rows_from_H2O_117 = fma(c_79, w_e2_H2O2, rows_from_H2O_102);
    const double c_80 = h2o2_viscosity_real_bank[89];
    const double rows_from_H2O_118 = fma(c_80, w_H2O2, rows_from_H2O_103);
    const double rows_from_H2O_119 = fma(c_80, w_e_H2O2, rows_from_H2O_104);
    const double rows_from_H2O_120 = fma(c_80, w_e2_H2O2, rows_from_H2O_105);
    // rows from H2
    const double c_81 = h2o2_viscosity_real_bank[41];
    const double rows_from_H2_121 = fma(c_81, w_AR, rows_from_H2_106);
    const double rows_from_H2_122 = fma(c_81, w_e_AR, rows_from_H2_107);
    const double rows_from_H2_123 = fma(c_81, w_e2_AR, rows_from_H2_108);
    const double c_82 = h2o2_viscosity_real_bank[44];
    const double rows_from_H2_124 = fma(c_82, w_AR, rows_from_H2_109);
    const double rows_from_H2_125 = fma(c_82, w_e_AR, rows_from_H2_110);
    const double rows_from_H2_126 = fma(c_82, w_e2_AR, rows_from_H2_111);
    const double c_83 = h2o2_viscosity_real_bank[47];
    const double rows_from_H2_127 = fma(c_83, w_AR, rows_from_H2_112);
    const double rows_from_H2_128 = fma(c_83, w_e_AR, rows_from_H2_113);
    const double rows_from_H2_129 = fma(c_83, w_e2_AR, rows_from_H2_114);
    const double c_84 = h2o2_viscosity_real_bank[51];
    const double rows_from_H2_130 = fma(c_84, w_AR, rows_from_H2_115);
    const double rows_from_H2_131 = fma(c_84, w_e_AR, rows_from_H2_116);
    const double rows_from_H2_132 = fma(c_84, w_e2_AR, rows_from_H2_117);
    const double c_85 = h2o2_viscosity_real_bank[54];
    const double rows_from_H2_133 = fma(c_85, w_AR, rows_from_H2_118);
    const double rows_from_H2_134 = fma(c_85, w_e_AR, rows_from_H2_119);
    const double rows_from_H2_135 = fma(c_85, w_e2_AR, rows_from_H2_120);
    // rows from H2O
    const double c_86 = h2o2_viscosity_real_bank[82];
    const double rows_from_H2O_121 = fma(c_86, w_AR, rows_from_H2O_106);
    const double rows_from_H2O_122 = fma(c_86, w_e_AR, rows_from_H2O_107);
    const double rows_from_H2O_123 = fma(c_86, w_e2_AR, rows_from_H2O_108);
    const double c_87 = h2o2_viscosity_real_bank[85];
    const double rows_from_H2O_124 = fma(c_87, w_AR, rows_from_H2O_109);
    const double rows_from_H2O_125 = fma(c_87, w_e_AR, rows_from_H2O_110);
    const double rows_from_H2O_126 = fma(c_87, w_e2_AR, rows_from_H2O_111);
    const double c_88 = h2o2_viscosity_real_bank[88];
    const double rows_from_H2O_127 = fma(c_88, w_AR, rows_from_H2O_112);
    const double rows_from_H2O_128 = fma(c_88, w_e_AR, rows_from_H2O_113);
    const double rows_from_H2O_129 = fma(c_88, w_e2_AR, rows_from_H2O_114);
    const double c_89 = h2o2_viscosity_real_bank[90];
    const double rows_from_H2O_130 = fma(c_89, w_AR, rows_from_H2O_115);
    const double rows_from_H2O_131 = fma(c_89, w_e_AR, rows_from_H2O_116);
    const double rows_from_H2O_132 = fma(c_89, w_e2_AR, rows_from_H2O_117);
    const double c_90 = h2o2_viscosity_real_bank[91];
    const double rows_from_H2O_133 = fma(c_90, w_AR, rows_from_H2O_118);
    const double rows_from_H2O_134 = fma(c_90, w_e_AR, rows_from_H2O_119);
    const double rows_from_H2O_135 = fma(c_90, w_e2_AR, rows_from_H2O_120);
    // rows from H2
    const double c_91 = h2o2_viscosity_real_bank[42];
    const double rows_from_H2_136 = fma(c_91, w_N2, rows_from_H2_121);
    const double rows_from_H2_137 = fma(c_91, w_e_N2, rows_from_H2_122);
    const double rows_from_H2_138 = fma(c_91, w_e2_N2, rows_from_H2_123);
    const double c_92 = h2o2_viscosity_real_bank[45];
    const double rows_from_H2_139 = fma(c_92, w_N2, rows_from_H2_124);
    const double rows_from_H2_140 = fma(c_92, w_e_N2, rows_from_H2_125);
    const double rows_from_H2_141 = fma(c_92, w_e2_N2, rows_from_H2_126);
    const double c_93 = h2o2_viscosity_real_bank[48];
    const double rows_from_H2_142 = fma(c_93, w_N2, rows_from_H2_127);
    const double rows_from_H2_143 = fma(c_93, w_e_N2, rows_from_H2_128);
    const double rows_from_H2_144 = fma(c_93, w_e2_N2, rows_from_H2_129);
    const double c_94 = h2o2_viscosity_real_bank[52];
    const double rows_from_H2_145 = fma(c_94, w_N2, rows_from_H2_130);
    const double rows_from_H2_146 = fma(c_94, w_e_N2, rows_from_H2_131);
    const double rows_from_H2_147 = fma(c_94, w_e2_N2, rows_from_H2_132);
    const double c_95 = h2o2_viscosity_real_bank[55];
    const double rows_from_H2_148 = fma(c_95, w_N2, rows_from_H2_133);
    const double rows_from_H2_149 = fma(c_95, w_e_N2, rows_from_H2_134);
    const double rows_from_H2_150 = fma(c_95, w_e2_N2, rows_from_H2_135);
    const double t_36 = rows_from_H2_137 + rows_from_H2_137;
    const double t_37 = rows_from_H2_140 + rows_from_H2_140;
    const double t_38 = rows_from_H2_143 + rows_from_H2_143;
    const double t_39 = rows_from_H2_146 + rows_from_H2_146;
    const double t_40 = rows_from_H2_149 + rows_from_H2_149;
    const double t_41 = fma(e_H2, fma(e_H2, rows_from_H2_138, t_36), rows_from_H2_136);
    const double field_12 = slots[inputs + 1][lane];
    const double t_42 = e_H2 * e_H2;
    const double t_43 = positive(field_12) * h2o2_viscosity_real_bank[1] * t_42;
    const double t_44 = fma(e_H, fma(e_H, rows_from_H2_141, t_37), rows_from_H2_139);
    const double field_13 = slots[inputs + 2][lane];
    const double t_45 = e_H * e_H;
    const double t_46 = fma(t_43, t_44, positive(field_13) * h2o2_viscosity_real_bank[22] * t_45 * t_41);
    const double t_47 = t_41 * t_44;
    const double t_48 = fma(e_O, fma(e_O, rows_from_H2_144, t_38), rows_from_H2_142);
    const double field_14 = slots[inputs + 3][lane];
    const double t_49 = e_O * e_O;
    const double t_50 = fma(t_46, t_48, positive(field_14) * h2o2_viscosity_real_bank[23] * t_49 * t_47);
    const double t_51 = t_47 * t_48;
    const double t_52 = fma(e_O2, fma(e_O2, rows_from_H2_147, t_39), rows_from_H2_145);
    const double field_15 = slots[inputs + 4][lane];
    const double t_53 = e_O2 * e_O2;
    const double t_54 = fma(t_50, t_52, positive(field_15) * h2o2_viscosity_real_bank[24] * t_53 * t_51);
    const double t_55 = t_51 * t_52;
    const double t_56 = fma(e_OH, fma(e_OH, rows_from_H2_150, t_40), rows_from_H2_148);
    const double field_16 = slots[inputs + 5][lane];
    const double t_57 = e_OH * e_OH;
    const double t_58 = fma(t_54, t_56, positive(field_16) * h2o2_viscosity_real_bank[25] * t_57 * t_55);
    const double share_of_rows_from_H2 = t_58 / (t_55 * t_56);
    // rows from H2O
    const double c_96 = h2o2_viscosity_real_bank[83];
    const double rows_from_H2O_136 = fma(c_96, w_N2, rows_from_H2O_121);
    const double rows_from_H2O_137 = fma(c_96, w_e_N2, rows_from_H2O_122);
    const double rows_from_H2O_138 = fma(c_96, w_e2_N2, rows_from_H2O_123);
    const double c_97 = h2o2_viscosity_real_bank[86];
    const double rows_from_H2O_139 = fma(c_97, w_N2, rows_from_H2O_124);
    const double rows_from_H2O_140 = fma(c_97, w_e_N2, rows_from_H2O_125);
    const double rows_from_H2O_141 = fma(c_97, w_e2_N2, rows_from_H2O_126);
    const double c_98 = h2o2_viscosity_real_bank[89];
    const double rows_from_H2O_142 = fma(c_98, w_N2, rows_from_H2O_127);
    const double rows_from_H2O_143 = fma(c_98, w_e_N2, rows_from_H2O_128);
    const double rows_from_H2O_144 = fma(c_98, w_e2_N2, rows_from_H2O_129);
    const double c_99 = h2o2_viscosity_real_bank[91];
    const double rows_from_H2O_145 = fma(c_99, w_N2, rows_from_H2O_130);
    const double rows_from_H2O_146 = fma(c_99, w_e_N2, rows_from_H2O_131);
    const double rows_from_H2O_147 = fma(c_99, w_e2_N2, rows_from_H2O_132);
    const double c_100 = h2o2_viscosity_real_bank[92];
    const double rows_from_H2O_148 = fma(c_100, w_N2, rows_from_H2O_133);
    const double rows_from_H2O_149 = fma(c_100, w_e_N2, rows_from_H2O_134);
    const double rows_from_H2O_150 = fma(c_100, w_e2_N2, rows_from_H2O_135);
    const double t_59 = rows_from_H2O_137 + rows_from_H2O_137;
    const double t_60 = rows_from_H2O_140 + rows_from_H2O_140;
    const double t_61 = rows_from_H2O_143 + rows_from_H2O_143;
    const double t_62 = rows_from_H2O_146 + rows_from_H2O_146;
    const double t_63 = rows_from_H2O_149 + rows_from_H2O_149;
    const double t_64 = fma(e_H2O, fma(e_H2O, rows_from_H2O_138, t_59), rows_from_H2O_136);
    const double field_17 = slots[inputs + 6][lane];
    const double t_65 = e_H2O * e_H2O;
    const double t_66 = positive(field_17) * h2o2_viscosity_real_bank[56] * t_65;
    const double t_67 = fma(e_HO2, fma(e_HO2, rows_from_H2O_141, t_60), rows_from_H2O_139);
    const double field_18 = slots[inputs + 7][lane];
    const double t_68 = e_HO2 * e_HO2;
    const double t_69 = fma(t_66, t_67, positive(field_18) * h2o2_viscosity_real_bank[77] * t_68 * t_64);
    const double t_70 = t_64 * t_67;
    const double t_71 = fma(e_H2O2, fma(e_H2O2, rows_from_H2O_144, t_61), rows_from_H2O_142);
    const double field_19 = slots[inputs + 8][lane];
    if (group + gridDim.x * 4 < groups) {
      const int next_point = min((group + gridDim.x * 4) * 32 + lane, points - 1);
      copy_async(&slots[inputs][lane], temperature, 0, stride, next_point);
      copy_async(&slots[inputs + 1][lane], mole_fractions, 0, stride, next_point);
      copy_async(&slots[inputs + 2][lane], mole_fractions, 1, stride, next_point);
      copy_async(&slots[inputs + 3][lane], mole_fractions, 2, stride, next_point);
      copy_async(&slots[inputs + 4][lane], mole_fractions, 3, stride, next_point);
      copy_async(&slots[inputs + 5][lane], mole_fractions, 4, stride, next_point);
      copy_async(&slots[inputs + 6][lane], mole_fractions, 5, stride, next_point);
      copy_async(&slots[inputs + 7][lane], mole_fractions, 6, stride, next_point);
      copy_async(&slots[inputs + 8][lane], mole_fractions, 7, stride, next_point);
    }
    commit_copies();
    const double t_72 = e_H2O2 * e_H2O2;
    const double t_73 = fma(t_69, t_71, positive(field_19) * h2o2_viscosity_real_bank[78] * t_72 * t_70);
    const double t_74 = t_70 * t_71;
    const double t_75 = fma(e_AR, fma(e_AR, rows_from_H2O_147, t_62), rows_from_H2O_145);
    const double field_20 = slots[inputs + 9][lane];
    const double t_76 = e_AR * e_AR;
    const double t_77 = fma(t_73, t_75, positive(field_20) * h2o2_viscosity_real_bank[79] * t_76 * t_74);
    const double t_78 = t_74 * t_75;
    const double t_79 = fma(e_N2, fma(e_N2, rows_from_H2O_150, t_63), rows_from_H2O_148);
    const double field_21 = slots[inputs + 10][lane];
    if (group + gridDim.x * 4 < groups) {
      const int next_point = min((group + gridDim.x * 4) * 32 + lane, points - 1);
      copy_async(&slots[inputs + 9][lane], mole_fractions, 8, stride, next_point);
      copy_async(&slots[inputs + 10][lane], mole_fractions, 9, stride, next_point);
    }
    commit_copies();
    const double t_80 = e_N2 * e_N2;
    const double t_81 = fma(t_77, t_79, positive(field_21) * h2o2_viscosity_real_bank[80] * t_80 * t_78);
    // mixture
    const double mixture = t_81 / (t_78 * t_79) + share_of_rows_from_H2;
    store(viscosity, 0, stride, point, active, fma(mixture, h2o2_viscosity_real_bank[93], ln_t - ln_t));
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
  const int groups_per_cta = 4;
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
