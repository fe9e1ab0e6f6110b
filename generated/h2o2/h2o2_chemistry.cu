// h2o2_chemistry: chemistry of h2o2, made by singe 0.2.0
//
// command     singe mechanisms/h2o2/chem.inp --warps 8 --target kepler --codegen overlay --emit cuda,picture --verify no-compilers
// input       mechanisms/h2o2/chem.inp sha256 b672951e65e781496dc3dbac71cc1188a40605a11f20f8f00b734de95f70ecc7
// input       mechanisms/h2o2/therm.dat sha256 c0e83a2f1255ee15ce3ffdf5db49e1813d580f7632d8b60c80df5cc9023ad45b
// input       mechanisms/h2o2/tran.dat sha256 377ed79c9f704d6c49a316134f171ad180a1cfde27eadec992dce85edf624272
// form        log-space, exact to rounding; proven to stay in the range of doubles from 200 to 4000 K
// target      kepler (compute capability 3.5)
// execution   warp-specialized; warps per CTA: 8, CTAs per SM: 1
// barriers    named barriers per CTA: 2
// constants   registers per thread: 2 real, 2 index
// banks       entries: 0 real, 0 index
// slots       57 (14592 bytes of shared memory per CTA)

// Constants.
// Register r of thread t is at [256 * r + t]; the lanes of a warp share theirs by shuffles.
static __device__ const double h2o2_chemistry_reals[512] = {
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 2.4, 15.4, 0.83, 0.0, -24.226033835218026, -49.335936970956354, -3.5636351474510204e-5,
  0.003540602254224646, 1.2009396945982998e-7, -4.5718819497661797e-7, -2.1588295511176145e-11, 4.462568177080668e-11,
  1.4445371893327737e-15, -2.076819419271236e-15, 3.371981111012923, 4.566133916094435, -10847.307101905764,
  18067.304069725837, -17.184265845832282, -48.747628612447876, 0.005756728854868235, -0.00039156360454463044,
  -4.683505308897733e-6, 4.02357309993964e-6, 2.4233921699617e-9, -2.594095682363999e-9, -5.320744148480377e-13,
  6.221293162465749e-13, 1.939459840136706, 4.726431531256401, -10893.796144786915, 17837.61894012408, 0.73, 3.65, 0.38,
  0.0, -9.841296393969934, -23.991480273013558, -1.6651800618558244e-11, 0.0010733483751589146, 3.88474368626601e-15,
  -1.3668958434406572e-7, -5.692817344332268e-19, 1.213912220855618e-11, 3.5937342816394426e-23, -4.87151299854126e-16,
  2.1640425757603956, 2.779553973578312, -42859.77114438783, 2350.225085538694, -9.841296291538587, -27.457112201371736,
  5.087900800737664e-13, 0.001015830720729745, -4.799172277734808e-16, -9.529534542236731e-7, 2.7661469123836618e-19,
  6.782488094667251e-10, -6.692174173243767e-23, -1.7635893707487726e-13, 2.164042561333445, 3.31628990850552,
  -42859.77114438783, 2491.7566429789913, 13.233320082730822, 0.0, 2.8853900817779268, 0.0, -9.570698774270324, 0.0,
  -6.201721373990694e-5, 0.0, 1.0086472271327417e-8, 0.0, -1.204383448537261e-12, 0.0, 8.860577842989364e-17, 0.0,
  2.264195576374089, 0.0, -39893.91237422306, 0.0, -14.376678793274245, 0.0, -0.002365528513980874, 0.0,
  1.5973192385666998e-6, 0.0, -7.36744231223923e-10, 0.0, 1.5239618433514577e-13, 0.0, 3.128148192492694, 0.0,
  -39756.39482719503, 0.0, 5.274261661257048, 17.720671786825555, 3.8952766104002015, 2.178469511742335,
  -26.007874241292, 0.0, 0.001069821519581106, 0.0, -1.8225245908757104e-7, 0.0, 2.5183510909229902e-11, 0.0,
  -1.5632884333809796e-15, 0.0, 3.293006022409406, 0.0, 6086.600755117224, 0.0, -29.31954331299716, 0.0,
  -0.0021616867557472767, 0.0, 2.3677756293271534e-6, 0.0, -1.1639297013104725e-9, 0.0, 2.33985541669492e-13, 0.0,
  4.014235992061956, 0.0, 6051.234298053666, 0.0, 0.0, 0.0, 0.0, 0.0, -19.96709112297004, 0.0, 0.0003956084157746713,
  0.0, 3.041807751368794e-8, 0.0, -1.0573290212447428e-11, 0.0, 8.469512629709517e-16, 0.0, 3.0193986626466573, 0.0,
  -9417.76955162931, 0.0, -27.87269828936332, 0.0, -0.0017321844388518922, 0.0, 1.110379473872944e-6, 0.0,
  -4.666076506849891e-10, 0.0, 9.84000756446868e-14, 0.0, 4.316565823124259, 0.0, -9066.363029563921, 0.0, 0.0, 0.0,
  0.0, 0.0, -28.37245090498582, 0.0, 0.001570314430364861, 0.0, -3.9451101344127526e-8, 0.0, -1.1666832783575937e-11,
  0.0, 1.213313685155021e-15, 0.0, 2.934430878528395, 0.0, 33327.09806492549, 0.0, -38.44311204849791, 0.0,
  -0.0014689766885835898, 0.0, 1.567825298116489e-6, 0.0, -6.597889998348609e-10, 0.0, 1.2782120592112502e-13, 0.0,
  4.614662873498297, 0.0, 33744.65671353198, 0.0, 2.0, 6.0, 0.7, 43.356272060953856, -38.67173995507176, 0.0,
  0.0016156886970171366, 0.0, -1.5236257843731247e-7, 0.0, 1.3735222619880471e-11, 0.0, -7.783955415704657e-16, 0.0,
  4.352915202746126, 0.0, -1754.1352582451068, 0.0, -39.1810499831596, 0.0, -0.003425766304180532, 0.0,
  5.087493126377501e-6, 0.0, -2.9186188831724498e-9, 0.0, 6.702942391321161e-13, 0.0, 4.763487615044047, 0.0,
  -2018.0782304320614, 0.0, 0.0, 0.0, 0.0, 39.34856396581859, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  30.897352853986263, -309.9987229701932, 50.594456169673414, -21351.434291694106, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  -2903.9693018285084, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -4544.7119573616155, -2490.1536763179456, 2.0, -2.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  -1.0964482310756123, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.1541560327111708, 33.75533384911383,
  362.99616272856355, 42.18506523353571, -12581.447000172011, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
};

// Rows, slots and numbers of rounds.
// Register r of thread t is at [256 * r + t]; the lanes of a warp share theirs by shuffles.
static __device__ const int h2o2_chemistry_indices[512] = {
  8, 0, 5, 8, 3, 0, 0, 0, 0, 2, 23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 8, 3, 2, 0,
  7, 2, 2, 26, 0, 0, 0, 17, 16, 15, 27, 29, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 5, 0, 0, 1, 2, 4, 6, 7, 4, 1, 9, 2, 17, 11,
  15, 16, 28, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 55, 5, 0, 0, 6, 2, 0, 1, 3, 5, 11, 2, 27, 2, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 53, 3, 0, 0, 8, 3, 0, 1, 1, 25, 0, 0, 0, 0, 0, 0, 51, 31, 32, 34,
  33, 52, 0, 0, 0, 0, 0, 6, 6, 0, 0, 2, 50, 35, 36, 3, 10, 4, 0, 1, 0, 0, 0, 0, 0, 2, 1, 0, 51, 31, 32, 34, 33, 52, 38,
  39, 37, 40, 41, 11, 2, 0, 0, 0, 0, 5, 8, 3, 12, 5, 0, 1, 2, 24, 13, 12, 32, 1, 2, 0, 27, 30, 28, 0, 0, 0, 0, 0, 0, 0,
  0, 3, 3, 0, 0, 9, 47, 48, 0, 2, 14, 6, 0, 1, 0, 0, 21, 20, 33, 15, 14, 9, 30, 38, 39, 37, 43, 44, 0, 0, 0, 0, 0, 6, 9,
  6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 50, 35, 36, 39,
  40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 38, 41, 29, 42, 43, 45, 46, 44, 0, 29, 43, 45, 46, 44,
  27, 30, 28, 52, 41, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 30, 39, 43, 47, 48, 44, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 27, 29, 0, 0, 0, 0, 0, 0, 0, 28, 40, 41, 45, 46, 47, 48, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 52, 38, 42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 28, 51, 31, 32, 34, 33, 40, 45, 46, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
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

// 2^(j/256), j 2^44 less in its bits
static __device__ const double h2o2_chemistry_powers[256] = {
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

// 2^x below 1.02 ulp: 0 for x <= -1021, infinity for x >= 1021. Entry j of `powers` is 2^(j/256), j 2^44 less in its
// bits.
static __device__ __forceinline__ double singe_exp2_table(double x, const double *powers)
{
  const double shifted = x + 26388279066624.0;
  const unsigned n = (unsigned)__double2loint(shifted);
  const double r = x - (shifted - 26388279066624.0);
  double q = fma(0.009618129842126066, r, 0.05550411502275783);
  q = fma(q, r, 0.2402265069591);
  q = fma(q, r, 0.6931471805599393);
  const double entry = powers[n & 255u];
  const double root = __hiloint2double((int)((unsigned)__double2hiint(entry) + (n << 12)), __double2loint(entry));
  const double p = fma(root, q * r, root);
  const unsigned high = (unsigned)__double2hiint(p);
  const unsigned x_high = (unsigned)__double2hiint(x);
  const unsigned inside = (unsigned)(((int)((x_high & 0x7fffffffu) - 0x408fe800u)) >> 31);
  const unsigned beyond = (~((unsigned)(((int)x_high) >> 31))) & 0x7ff00000u;
  return __hiloint2double((int)((high & inside) | (beyond & (~inside))), (int)(((unsigned)__double2loint(p)) & inside));
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

// 2^x below 1.02 ulp for |x| < 1021; anything beyond. Entry j of `powers` is 2^(j/256), j 2^44 less in its bits.
static __device__ __forceinline__ double singe_exp2_rising_within(double x, const double *powers)
{
  const double shifted = x + 26388279066624.0;
  const unsigned n = (unsigned)__double2loint(shifted);
  const double r = x - (shifted - 26388279066624.0);
  const double z = r * r;
  const double odd = fma(0.05550411502275783, z, 0.6931471805599393);
  const double even = fma(0.009618129842126066, z, 0.2402265069591);
  const double rest = z * even;
  const double q = fma(r, odd, rest);
  const double entry = powers[n & 255u];
  const double root = __hiloint2double((int)((unsigned)__double2hiint(entry) + (n << 12)), __double2loint(entry));
  return fma(root, q, root);
}

// 2^-x below 1.02 ulp for |x| < 1021; anything beyond. Entry j of `powers` is 2^(j/256), j 2^44 less in its bits.
static __device__ __forceinline__ double singe_exp2_falling_within(double x, const double *powers)
{
  const double shifted = x + 26388279066624.0;
  const unsigned n = (unsigned)__double2loint(shifted);
  const double r = x - (shifted - 26388279066624.0);
  const double z = r * r;
  const double odd = fma(0.05550411502275783, z, 0.6931471805599393);
  const double even = fma(0.009618129842126066, z, 0.2402265069591);
  const double rest = z * even;
  const unsigned minus_n = 0u - n;
  const double q = fma(-r, odd, rest);
  const double entry = powers[minus_n & 255u];
  const double root = __hiloint2double((int)((unsigned)__double2hiint(entry) + (minus_n << 12)), __double2loint(entry));
  return fma(root, q, root);
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
h2o2_chemistry(const double *__restrict__ temperature, const double *__restrict__ pressure,
    const double *__restrict__ mole_fractions, double *__restrict__ production_rates, int points, int stride)
{
  // Slots, what they hold, and the phase that stores it: 0: total (1); 1: power 1 (1); 2: equilibrium H2 (1); 3:
  //   activity H2 (1); 4: equilibrium H (1); 5: activity H (1); 6: equilibrium O (1); 7: activity O (1); 8: equilibrium
  //   O2 (1); 9: activity O2 (1); 10: equilibrium OH (1); 11: activity OH (1); 12: equilibrium H2O (1); 13: activity
  //   H2O (1); 14: equilibrium HO2 (1); 15: activity HO2 (1); 16: equilibrium H2O2 (1); 17: activity H2O2 (1); 18:
  //   equilibrium N2 (1); 19: activity N2 (1); 20: equilibrium AR (1); 21: activity AR (1); 22: third_body 4 (1); 23:
  //   third_body 1 (2); 24: third_body 2 (2); 25: third_body 3 (2); 26: third_body 5 (2); 27: progress 3 (2); 28:
  //   progress 5 (2); 29: progress 21 (2); 30: progress 4 (2); 31: progress 7 (2); 32: progress 8 (2); 33: progress 10
  //   (2); 34: progress 9 (2); 35: progress 13 (2); 36: progress 14 (2); 37: progress 18 (2); 38: progress 16 (2); 39:
  //   progress 17 (2); 40: progress 19 (2); 41: progress 20 (2); 42: progress 23 (2); 43: progress 24 (2); 44: progress
  //   29 (2); 45: progress 25 (2); 46: progress 26 (2); 47: progress 27 (2); 48: progress 28 (2); 49: log collider 1
  //   (2); 50: progress 12 (2); 51: progress 6 (2); 52: progress 11 (2); 53: progress 1 (3); 54: progress 2 (3); 55:
  //   progress 15 (3); 56: progress 22 (3)
  __shared__ double slots[57][32];
  const int warp_id = threadIdx.x >> 5;
  const int lane = threadIdx.x & 31;
  const double c0 = h2o2_chemistry_reals[0 + threadIdx.x];
  const double c1 = h2o2_chemistry_reals[256 + threadIdx.x];
  const int k0 = h2o2_chemistry_indices[0 + threadIdx.x];
  const int k1 = h2o2_chemistry_indices[256 + threadIdx.x];
  __shared__ double powers[256];
  for (int i = threadIdx.x; i < 256; i += 256) powers[i] = h2o2_chemistry_powers[i];
  __syncthreads();
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
    case 2: {
      // warp 2: total
      #pragma unroll 4
      for (int i0 = 0; i0 < 5; ++i0) {
        const double field_3 = load(mole_fractions, broadcast_index(k0, i0), stride, point);
        r0 = r0 + positive(field_3);
      }
      // warp 2: total
      slots[0][lane] = __dmul_rn(r0, concentration);
      break;
    }
    case 4: {
      // warp 4: power 1
      slots[1][lane] = singe_exp2_table_within(__dmul_rn(-1.7889418507023145, ln_t), powers);
      break;
    }
    }
    if ((0xfeu >> warp_id) & 1u) { // warps 1 to 7
      // warp 1: species H2, species H2O2; warp 2: species H, species N2; warp 3: species O; warp 4: species O2; warp 5:
      //   species OH; warp 6: species H2O; warp 7: species HO2
      const int trips = broadcast_index(k0, 8);
      #pragma unroll 2
      for (int i1 = 0; i1 < trips; ++i1) {
        const double t_5 = select_le(temperature_2, 1000.0, broadcast(c0, 14 + i1), broadcast(c0, i1));
        const double t_6 = select_le(temperature_2, 1000.0, broadcast(c0, 16 + i1), broadcast(c0, 2 + i1));
        const double t_7 = select_le(temperature_2, 1000.0, broadcast(c0, 18 + i1), broadcast(c0, 4 + i1));
        const double t_8 = select_le(temperature_2, 1000.0, broadcast(c0, 20 + i1), broadcast(c0, 6 + i1));
        const double t_9 = fma(select_le(temperature_2, 1000.0, broadcast(c0, 22 + i1), broadcast(c0, 8 + i1)),
            temperature_2, t_8);
        const double t_10 = fma(fma(fma(t_9, temperature_2, t_7), temperature_2, t_6), temperature_2, t_5);
        const double t_11 = fma(select_le(temperature_2, 1000.0, broadcast(c0, 24 + i1), broadcast(c0, 10 + i1)), ln_t,
            t_10);
        const double t_12 = fma(select_le(temperature_2, 1000.0, broadcast(c0, 26 + i1), broadcast(c0, 12 + i1)),
            inverse_t, t_11);
        const int index = broadcast_index(k0, 5);
        slots[index + i1 * 14][lane] = singe_exp2_rising_within(t_12, powers);
        const double field_4 = load(mole_fractions, broadcast_index(k0, 6 + i1), stride, point);
        slots[index + 1 + i1 * 14][lane] = __dmul_rn(positive(field_4) * concentration,
            singe_exp2_falling_within(t_12, powers));
      }
    }
    switch (warp_id) {
    case 0: case 7: {
      // warp 0: production AR; warp 7: production N2
      store(production_rates, broadcast_index(k0, 0), stride, point, active, 0.0);
      break;
    }
    case 2: {
      // warp 2: third body 4
      r0 = slots[0][lane];
      // warp 2: third body 4
      const double field_5 = load(mole_fractions, 8, stride, point);
      r0 = fma(0.63, positive(field_5) * concentration, r0);
      // warp 2: third body 4
      #pragma unroll 4
      for (int i2 = 0; i2 < 2; ++i2) {
        const double field_6 = load(mole_fractions, 3 + i2 * 6, stride, point);
        r0 = r0 + __dmul_rn(positive(field_6), concentration);
      }
      // warp 2: third body 4
      slots[22][lane] = r0;
      break;
    }
    case 3: {
      // warp 3: species AR
      const double t_13 = fma(2.164042561333445, ln_t, -17.1731438471304);
      const double t_14 = fma(1448.9814115142194, inverse_t, t_13);
      slots[20][lane] = singe_exp2_rising_within(t_14, powers);
      const double field_7 = load(mole_fractions, 8, stride, point);
      slots[21][lane] = __dmul_rn(positive(field_7) * concentration, singe_exp2_falling_within(t_14, powers));
      break;
    }
    }
    barrier_sync<0, 256>();
    // phase 2
    r0 = -0.0;
    if ((0x53u >> warp_id) & 1u) { // warps 0, 1, 4, 6
      // warp 0: third body 1; warp 1: third body 5; warp 4: third body 3; warp 6: third body 2
      r0 = slots[0][lane];
    }
    if ((0x43u >> warp_id) & 1u) { // warps 0, 1, 6
      // warp 0: third body 1; warp 1: third body 5; warp 6: third body 2
      #pragma unroll 4
      for (int i3 = 0; i3 < 3; ++i3) {
        const double field_8 = load(mole_fractions, broadcast_index(k0, 1 + i3), stride, point);
        r0 = fma(broadcast(c0, 28 + i3), positive(field_8) * concentration, r0);
      }
    }
    if ((0x53u >> warp_id) & 1u) { // warps 0, 1, 4, 6
      // warp 0: third body 1; warp 1: third body 5; warp 4: third body 3; warp 6: third body 2
      const int trips_2 = broadcast_index(k0, 9);
      #pragma unroll 4
      for (int i4 = 0; i4 < trips_2; ++i4) {
        const double field_9 = load(mole_fractions, broadcast_index(k0, 4) + i4 * 6, stride, point);
        r0 = r0 + __dmul_rn(positive(field_9), concentration);
      }
      // warp 0: third body 1; warp 1: third body 5; warp 4: third body 3; warp 6: third body 2
      slots[broadcast_index(k0, 10)][lane] = r0;
    }
    switch (warp_id) {
    case 0: {
      // warp 0: reaction 4 O+HO2<=>OH+O2
      const double t_15 = slots[7][lane] * slots[15][lane];
      const double t_16 = fma(-slots[11][lane], slots[9][lane], t_15);
      slots[30][lane] = __dmul_rn(20000000000.0 * slots[6][lane] * slots[14][lane], t_16);
      // warp 0: reaction 13 2H+H2<=>2H2
      const double s = slots[5][lane];
      const double s_2 = slots[3][lane];
      const double t_17 = fma(-s_2, s_2, s * s * s_2);
      const double s_3 = slots[4][lane];
      const double t_18 = singe_exp2_table_within(fma(-0.865617024533378, ln_t, 36.38920595031593), powers) * s_3 * s_3;
      slots[35][lane] = __dmul_rn(t_18 * slots[2][lane], t_17);
      break;
    }
    case 2: case 3: {
      // warp 2: reaction 5 O+H2O2<=>OH+HO2; warp 3: reaction 3 O+H2<=>H+OH, reaction 21 OH+H2<=>H+H2O
      const int trips_3 = broadcast_index(k0, 14);
      #pragma unroll 4
      for (int i5 = 0; i5 < trips_3; ++i5) {
        const double t_19 = fma(broadcast(c0, 30 + i5), ln_t, broadcast(c0, 28 + i5));
        const double t_20 = slots[7 + i5 * 4][lane] * slots[broadcast_index(k0, 9)][lane];
        const double s_4 = slots[broadcast_index(k0, 12)][lane];
        const double t_21 = singe_exp2_table_within(fma(broadcast(c1, i5), inverse_t, t_19), powers) *
            slots[6 + i5 * 4][lane] * s_4;
        slots[broadcast_index(k0, 13) + i5 * 2][lane] = __dmul_rn(t_21,
            fma(-slots[broadcast_index(k0, 10)][lane], slots[broadcast_index(k0, 11) + i5 * 2][lane], t_20));
      }
      break;
    }
    }
    switch (warp_id) {
    case 2: {
      // warp 2: reaction 23 2OH<=>O+H2O
      const double t_22 = fma(3.462468098133512, ln_t, 5.157852169141737);
      const double s_5 = slots[11][lane];
      const double t_23 = fma(-slots[7][lane], slots[13][lane], s_5 * s_5);
      const double s_6 = slots[10][lane];
      slots[42][lane] = __dmul_rn(singe_exp2_table_within(fma(1531.843806714538, inverse_t, t_22), powers) * s_6 * s_6,
          t_23);
      break;
    }
    case 4: {
      // warp 4: reaction 17 H+HO2<=>O2+H2
      const double t_24 = slots[5][lane] * slots[15][lane];
      const double s_7 = slots[4][lane];
      const double s_8 = slots[14][lane];
      const double t_25 = singe_exp2_table_within(fma(-775.3598035882115, inverse_t, 35.3827796811565), powers) * s_7 *
          s_8;
      slots[39][lane] = __dmul_rn(t_25, fma(-slots[9][lane], slots[3][lane], t_24));
      // warp 4: reaction 27 2HO2<=>O2+H2O2 and 28 2HO2<=>O2+H2O2
      const double s_9 = slots[15][lane];
      const double s_10 = slots[14][lane];
      const double t_26 = s_10 * s_10;
      const double t_27 = fma(-slots[9][lane], slots[17][lane], s_9 * s_9);
      slots[47][lane] = __dmul_rn(singe_exp2_table_within(fma(1183.367490495117, inverse_t, 26.95393638235263),
          powers) * t_26, t_27);
      const double t_28 = __dmul_rn(singe_exp2_table_within(fma(-8711.907905485525, inverse_t, 38.611598371652384),
          powers) * t_26, t_27);
      slots[48][lane] = t_28;
      // warp 4: reaction 6 H+O2+M<=>HO2+M and 11 H+O2<=>O+OH
      const double t_29 = __dmul_rn(slots[5][lane], slots[9][lane]);
      const double t_30 = slots[4][lane] * slots[8][lane];
      const double t_31 = t_29 - slots[15][lane];
      const double t_32 = singe_exp2_table_within(fma(-1.2407177351645085, ln_t, 41.34856396581859), powers) * t_30 *
          t_31;
      slots[51][lane] = __dmul_rn(t_32, slots[25][lane]);
      const double t_33 = fma(-0.9676155639242277, ln_t, 44.591057593211545);
      const double t_34 = fma(-slots[7][lane], slots[11][lane], t_29);
      slots[52][lane] = __dmul_rn(singe_exp2_table_within(fma(-12371.635218114903, inverse_t, t_33), powers) * t_30,
          t_34);
      break;
    }
    case 5: {
      // warp 5: reaction 9 H+O2+N2<=>HO2+N2
      const double s_11 = slots[19][lane];
      const double t_35 = slots[5][lane] * slots[9][lane] * s_11;
      const double s_12 = slots[8][lane];
      const double t_36 = 26000000000000.0 * slots[1][lane] * slots[4][lane] * s_12;
      slots[34][lane] = __dmul_rn(t_36 * slots[18][lane], fma(-slots[15][lane], s_11, t_35));
      // warp 5: reaction 14 2H+H2O<=>H2+H2O
      const double s_13 = slots[5][lane];
      const double s_14 = slots[13][lane];
      const double t_37 = fma(-slots[3][lane], s_14, s_13 * s_13 * s_14);
      const double s_15 = slots[4][lane];
      const double t_38 = singe_exp2_table_within(fma(-1.8033688011112043, ln_t, 45.770027734256864), powers) * s_15 *
          s_15;
      slots[36][lane] = __dmul_rn(t_38 * slots[12][lane], t_37);
      // warp 5: reaction 19 H+H2O2<=>HO2+H2 and 20 H+H2O2<=>OH+H2O
      const double t_39 = fma(2.8853900817779268, ln_t, 13.56271942704932);
      const double t_40 = slots[5][lane] * slots[17][lane];
      const double t_41 = slots[4][lane] * slots[16][lane];
      const double t_42 = fma(-slots[15][lane], slots[3][lane], t_40);
      slots[40][lane] = __dmul_rn(singe_exp2_table_within(fma(-3775.16009237706, inverse_t, t_39), powers) * t_41,
          t_42);
      const double t_43 = fma(-slots[11][lane], slots[13][lane], t_40);
      const double t_44 = __dmul_rn(singe_exp2_table_within(fma(-2613.5723716456573, inverse_t, 33.219280948873624),
          powers) * t_41, t_43);
      slots[41][lane] = t_44;
      break;
    }
    case 7: {
      // warp 7: reaction 7 H+2O2<=>HO2+O2
      const double s_16 = slots[9][lane];
      const double t_45 = fma(-slots[15][lane], s_16, slots[5][lane] * s_16 * s_16);
      const double s_17 = slots[8][lane];
      const double t_46 = 20800000000000.0 * slots[1][lane] * slots[4][lane] * s_17;
      slots[31][lane] = __dmul_rn(t_46 * s_17, t_45);
      break;
    }
    }
    if ((0xc0u >> warp_id) & 1u) { // warps 6, 7
      // warp 6: reaction 8 H+O2+H2O<=>HO2+H2O; warp 7: reaction 10 H+O2+AR<=>HO2+AR
      const double s_18 = slots[broadcast_index(k0, 11)][lane];
      const double t_47 = slots[5][lane] * slots[9][lane] * s_18;
      const double t_48 = fma(-slots[15][lane], s_18, t_47);
      const double t_49 = singe_exp2_table_within(fma(broadcast(c1, 0), ln_t, broadcast(c0, 31)), powers) *
          slots[4][lane];
      slots[broadcast_index(k0, 13)][lane] = __dmul_rn(t_49 * slots[8][lane] * slots[broadcast_index(k0, 12)][lane],
          t_48);
    }
    if ((0x82u >> warp_id) & 1u) { // warps 1, 7
      // warp 1: reaction 25 OH+H2O2<=>HO2+H2O and 26 OH+H2O2<=>HO2+H2O; warp 7: reaction 24 OH+HO2<=>O2+H2O and 29
      //   OH+HO2<=>O2+H2O
      const int index_2 = broadcast_index(k0, 14);
      const double t_50 = slots[11][lane] * slots[index_2][lane];
      const double t_51 = slots[10][lane] * slots[broadcast_index(k0, 15)][lane];
      const double t_52 = fma(-slots[broadcast_index(k0, 16)][lane], slots[13][lane], t_50);
      const double t_53 = __dmul_rn(singe_exp2_table_within(fma(broadcast(c1, 2), inverse_t, broadcast(c1, 1)),
          powers) * t_51, t_52);
      slots[index_2 + 28][lane] = t_53;
      const double t_54 = __dmul_rn(singe_exp2_table_within(fma(broadcast(c1, 4), inverse_t, broadcast(c1, 3)),
          powers) * t_51, t_52);
      slots[index_2 + 29][lane] = t_54;
    }
    switch (warp_id) {
    case 1: {
      // warp 1: reaction 12 2H+M<=>H2+M
      const double s_19 = slots[5][lane];
      const double t_55 = __dmul_rn(s_19, s_19) - slots[3][lane];
      const double s_20 = slots[4][lane];
      const double s_21 = slots[22][lane];
      slots[50][lane] = __dmul_rn(1000000000000.0 * inverse_t * s_20 * s_20 * t_55, s_21);
      break;
    }
    case 6: {
      // warp 6: reaction 18 H+HO2<=>2OH and 16 H+HO2<=>O+H2O
      const double t_56 = slots[5][lane] * slots[15][lane];
      const double t_57 = slots[4][lane] * slots[14][lane];
      const double s_22 = slots[11][lane];
      const double t_58 = fma(-s_22, s_22, t_56);
      const double t_59 = __dmul_rn(singe_exp2_table_within(fma(-461.00512666527567, inverse_t, 36.28967027676502),
          powers) * t_57, t_58);
      slots[37][lane] = t_59;
      const double t_60 = fma(-slots[7][lane], slots[13][lane], t_56);
      const double t_61 = __dmul_rn(singe_exp2_table_within(fma(-487.1408503817322, inverse_t, 31.886491861354493),
          powers) * t_57, t_60);
      slots[38][lane] = t_61;
      // warp 6: log collider 1
      const double s_23 = slots[24][lane];
      slots[49][lane] = singe_log2(select_le(s_23, 1e-300, 1e-300, s_23), h2o2_chemistry_logarithms);
      break;
    }
    }
    if ((0x4u >> warp_id) & 1u) { // warp 2
      barrier_arrive<1, 256>();
    }
    if ((0xfbu >> warp_id) & 1u) { // warps 0, 1, 3 to 7
      barrier_sync<1, 256>();
    }
    // phase 3
    r0 = -0.0;
    double r1 = -0.0;
    switch (warp_id) {
    case 0: {
      // warp 0: reaction 22 2OH(+M)<=>H2O2(+M)
      const double t_62 = fma(-0.7646283716711506, ln_t, 4.9579647802027935);
      const double t_63 = fma(1234.186953277116, inverse_t, t_62);
      const double t_64 = __dmul_rn(singe_exp2_table_within(t_63, powers), slots[24][lane]);
      const double t_65 = 1.0 + t_64;
      const double t_66 = 0.26539999999999997 *
          singe_exp2_table_within(__dmul_rn(-0.015347819583925141, temperature_2), powers);
      const double e = singe_exp2_table_within(__dmul_rn(-7476.045701886608, inverse_t), powers);
      const double t_67 = fma(0.7346,
          singe_exp2_table_within(__dmul_rn(-0.0008215803194128493, temperature_2), powers), t_66) + e;
      const double l = singe_log2(select_le(t_67, 1e-300, 1e-300, t_67), h2o2_chemistry_logarithms);
      const double t_68 = fma(-0.5337971651289164, ln_t, 36.10680621961521);
      const double t_69 = t_63 + slots[49][lane] + fma(-0.67, l, -1.328771237954945);
      const double t_70 = fma(-0.14, t_69, fma(-1.27, l, 2.4914460711655217));
      const double t_71 = t_70 * t_70;
      const double t_72 = fma(t_69, t_69, t_71);
      const double t_73 = 1.0 / (t_72 * t_65);
      const double t_74 = singe_exp2_table(fma(l * t_71, t_73 * t_65, t_68), powers) * (t_64 * (t_73 * t_72));
      const double s_24 = slots[11][lane];
      const double s_25 = slots[10][lane];
      slots[56][lane] = __dmul_rn(t_74 * s_25 * s_25, __dmul_rn(s_24, s_24) - slots[17][lane]);
      break;
    }
    case 5: {
      // warp 5: reaction 15 H+OH+M<=>H2O+M
      const double s_26 = slots[10][lane];
      const double t_75 = 2.2e16 * inverse_t * inverse_t * slots[4][lane] * s_26;
      const double t_76 = t_75 * (__dmul_rn(slots[5][lane], slots[11][lane]) - slots[13][lane]);
      slots[55][lane] = __dmul_rn(t_76, slots[26][lane]);
      break;
    }
    case 7: {
      // warp 7: reaction 1 2O+M<=>O2+M
      const double s_27 = slots[7][lane];
      const double t_77 = __dmul_rn(s_27, s_27) - slots[9][lane];
      const double s_28 = slots[6][lane];
      const double s_29 = slots[23][lane];
      slots[53][lane] = __dmul_rn(120000000000.0 * inverse_t * s_28 * s_28 * t_77, s_29);
      // warp 7: reaction 2 O+H+M<=>OH+M
      const double t_78 = __dmul_rn(slots[7][lane], slots[5][lane]) - slots[11][lane];
      const double s_30 = slots[4][lane];
      const double t_79 = 500000000000.0 * inverse_t * slots[6][lane] * s_30 * t_78;
      slots[54][lane] = __dmul_rn(t_79, slots[24][lane]);
      break;
    }
    }
    if ((0xf2u >> warp_id) & 1u) { // warps 1, 4 to 7
      // warp 1: production H2; warp 4: production O2; warp 5: production H; warp 6: production O; warp 7: production
      //   HO2
      const int trips_4 = broadcast_index(k0, 28);
      #pragma unroll 4
      for (int i6 = 0; i6 < trips_4; ++i6) {
        r0 = r0 - slots[broadcast_index(k0, 17 + i6)][lane];
      }
    }
    if ((0xfau >> warp_id) & 1u) { // warps 1, 3 to 7
      // warp 1: production H2; warp 3: production H2O; warp 4: production O2; warp 5: production H; warp 6: production
      //   O; warp 7: production HO2
      const int trips_5 = broadcast_index(k0, 29);
      #pragma unroll 4
      for (int i7 = 0; i7 < trips_5; ++i7) {
        r0 = r0 + slots[broadcast_index(k1, i7)][lane];
      }
    }
    if ((0xa0u >> warp_id) & 1u) { // warps 5, 7
      // warp 5: production H; warp 7: production HO2
      const int trips_6 = broadcast_index(k0, 4);
      #pragma unroll 4
      for (int i8 = 0; i8 < trips_6; ++i8) {
        r0 = fma(-2.0, slots[broadcast_index(k0, 1 + i8)][lane], r0);
      }
    }
    switch (warp_id) {
    case 1: case 7: {
      // warp 1: production H2; warp 7: production HO2
      store(production_rates, broadcast_index(k0, 30), stride, point, active, r0);
      break;
    }
    case 3: case 5: {
      // warp 3: production OH; warp 5: production H2O2
      #pragma unroll 4
      for (int i9 = 0; i9 < 5; ++i9) {
        r1 = r1 - slots[broadcast_index(k1, 9 + i9)][lane];
      }
      // warp 3: production OH; warp 5: production H2O2
      const int trips_7 = broadcast_index(k0, 0);
      #pragma unroll 4
      for (int i10 = 0; i10 < trips_7; ++i10) {
        r1 = r1 + slots[broadcast_index(k1, 14 + i10)][lane];
      }
      break;
    }
    }
    if ((0x8u >> warp_id) & 1u) { // warp 3
      // warp 3: production OH
      #pragma unroll 4
      for (int i11 = 0; i11 < 2; ++i11) {
        r1 = fma(broadcast(c1, 2 + i11), slots[37 + i11 * 5][lane], r1);
      }
    }
    if ((0x81u >> warp_id) & 1u) { // warps 0, 7
      barrier_arrive<1, 192>();
    }
    if ((0x78u >> warp_id) & 1u) { // warps 3 to 6
      barrier_sync<1, 192>();
    }
    // phase 4
    switch (warp_id) {
    case 3: case 4: {
      // warp 3: production H2O; warp 4: production O2
      r0 = r0 + slots[broadcast_index(k0, 1)][lane];
      // warp 3: production H2O; warp 4: production O2
      store(production_rates, broadcast_index(k0, 2), stride, point, active, r0);
      break;
    }
    case 5: case 6: {
      // warp 5: production H; warp 6: production O
      const int trips_8 = broadcast_index(k0, 14);
      #pragma unroll 4
      for (int i12 = 0; i12 < trips_8; ++i12) {
        r0 = r0 - slots[54 + i12][lane];
      }
      break;
    }
    }
    switch (warp_id) {
    case 3: {
      // warp 3: production OH
      r1 = r1 - slots[55][lane];
      // warp 3: production OH
      r1 = r1 + slots[54][lane];
      // warp 3: production OH
      r1 = fma(-2.0, slots[56][lane], r1);
      break;
    }
    case 6: {
      // warp 6: production O
      r0 = fma(-2.0, slots[53][lane], r0);
      break;
    }
    }
    switch (warp_id) {
    case 5: case 6: {
      // warp 5: production H; warp 6: production O
      store(production_rates, broadcast_index(k0, 15), stride, point, active, r0);
      break;
    }
    case 3: {
      // warp 3: production OH
      store(production_rates, 4, stride, point, active, r1);
      break;
    }
    }
    if ((0x20u >> warp_id) & 1u) { // warp 5
      // warp 5: production H2O2
      r1 = r1 + slots[56][lane];
      // warp 5: production H2O2
      store(production_rates, 7, stride, point, active, r1);
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

// Whether two arrays share numbers. Rows may lie between each other's.
static bool h2o2_chemistry_share(const void *a, int a_rows, const void *b, int b_rows, size_t number, int points,
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
  if (h2o2_chemistry_share(production_rates, 10, temperature, 1, sizeof *production_rates, points,
      stride)) return SINGE_OVERLAPPING_ARRAYS;
  if (h2o2_chemistry_share(production_rates, 10, pressure, 1, sizeof *production_rates, points,
      stride)) return SINGE_OVERLAPPING_ARRAYS;
  if (h2o2_chemistry_share(production_rates, 10, mole_fractions, 10, sizeof *production_rates, points,
      stride)) return SINGE_OVERLAPPING_ARRAYS;
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
