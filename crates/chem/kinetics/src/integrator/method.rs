//! Rosenbrock methods as data.

/// A Rosenbrock method for y' = f(y), in the form that multiplies no vector with the Jacobian J (Hairer & Wanner, Solving Ordinary
/// Differential Equations II, equations IV.7.25 and 26). The stages u_i of a step of length h follow from
///
/// (I/(h gamma) - J(y)) u_i = f(y + sum_j a_ij u_j) + 1/h sum_j c_ij u_j, j < i;
///
/// The solution at its end is y + sum_i m_i u_i; sum_i e_i u_i is its difference from a solution of lower order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Method {
    pub name: &'static str,
    pub source: &'static str,
    /// Order of the solution that steps go on with.
    pub order: u32,
    pub gamma: f64,
    /// Coefficients of each stage, one for every stage before it.
    pub a: &'static [&'static [f64]],
    pub c: &'static [&'static [f64]],
    pub m: &'static [f64],
    pub e: &'static [f64],
    /// Method that advances points that are not stiff.
    pub explicit: Option<Explicit>,
}

/// An explicit Runge-Kutta method for y' = f(y): stages k_i = f(y + h sum_j a_ij k_j), j < i. A step ends at y + h sum_i b_i k_i;
/// h sum_i e_i k_i is the difference from a solution of lower order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Explicit {
    pub name: &'static str,
    pub source: &'static str,
    /// Order of the solution that steps go on with.
    pub order: u32,
    /// Coefficients of each stage, one for every stage before it.
    pub a: &'static [&'static [f64]],
    pub b: &'static [f64],
    pub e: &'static [f64],
    /// Largest stable value of -h times a real eigenvalue of the Jacobian.
    pub stable: f64,
}

impl Method {
    /// Whether a stage is at the same place as the one before it, so that it has its rates.
    pub fn takes_rates_over(&self, stage: usize) -> bool {
        let is_at = |stage: usize, j: usize| self.a[stage].get(j).copied().unwrap_or(0.0);
        stage > 0 && (0..stage).all(|j| is_at(stage, j) == is_at(stage - 1, j))
    }

    /// Whether the place of a stage, or the end for the number of stages, is that of the stage before it with one term more.
    pub fn extends_place(&self, stage: usize) -> bool {
        let factors = self.a.get(stage).copied().unwrap_or(self.m);
        stage > 1 && !self.takes_rates_over(stage - 1) && factors[..stage - 1] == *self.a[stage - 1]
    }
}

/// Order 4, with error of order 3; 6 stages, L-stable and stiffly accurate.
pub const RODAS4: Method = Method {
    name: "rodas4",
    source: "Hairer & Wanner, Solving Ordinary Differential Equations II, 2nd ed. (1996), section IV.7 and the program RODAS",
    order: 4,
    gamma: 0.25,
    a: &[
        &[],
        &[1.544],
        &[0.946_678_528_081_582_6, 0.255_701_169_898_328_4],
        &[3.314_825_187_068_521, 2.896_124_015_972_201, 0.998_641_913_997_781_7],
        &[1.221_224_509_226_641, 6.019_134_481_288_629, 12.537_083_329_320_87, -0.687_886_036_105_895],
        &[1.221_224_509_226_641, 6.019_134_481_288_629, 12.537_083_329_320_87, -0.687_886_036_105_895, 1.0],
    ],
    c: &[
        &[],
        &[-5.6688],
        &[-2.430_093_356_833_875, -0.206_359_915_709_191_5],
        &[-0.107_352_905_815_137_5, -9.594_562_251_023_355, -20.470_286_148_096_16],
        &[7.496_443_313_967_647, -10.246_804_314_643_52, -33.999_903_528_199_05, 11.708_908_932_061_6],
        &[
            8.083_246_795_921_522, -7.981_132_988_064_893, -31.521_594_328_743_71, 16.319_305_431_231_36,
            -6.058_818_238_834_054,
        ],
    ],
    m: &[1.221_224_509_226_641, 6.019_134_481_288_629, 12.537_083_329_320_87, -0.687_886_036_105_895, 1.0, 1.0],
    e: &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    explicit: None,
};

/// Order 4, with error of order 3; 4 stages, of which the last takes the rates of the third; L-stable.
pub const ROS4: Method = Method {
    name: "ros4",
    source: "Hairer & Wanner, Solving Ordinary Differential Equations II, 2nd ed. (1996), table IV.7.2, L-stable method of the program ROS4",
    order: 4,
    gamma: 0.572_82,
    a: &[
        &[],
        &[2.0],
        &[1.867_943_637_803_922, 0.234_444_971_139_915_6],
        &[1.867_943_637_803_922, 0.234_444_971_139_915_6, 0.0],
    ],
    c: &[
        &[],
        &[-7.137_615_036_412_31],
        &[2.580_708_087_951_457, 0.651_595_007_644_797_5],
        &[-2.137_148_994_382_534, -0.321_466_969_123_762_6, -0.694_974_250_178_177_9],
    ],
    m: &[2.255_570_073_418_735, 0.287_049_326_218_679_2, 0.435_317_943_184_018, 1.093_502_252_409_163],
    e: &[-0.281_543_193_214_115_5, -0.072_761_991_249_349_2, -0.108_219_620_149_531_1, -1.093_502_252_409_163],
    explicit: None,
};

/// Order 3, with error of order 2; 4 stages, of which the second takes the rates of the first; L-stable and stiffly accurate.
pub const RODAS3: Method = Method {
    name: "rodas3",
    source: "Sandu, Verwer, Blom, Spee, Carmichael & Potra, Atmospheric Environment 31 (1997) 3459",
    order: 3,
    gamma: 0.5,
    a: &[&[], &[0.0], &[2.0, 0.0], &[2.0, 0.0, 1.0]],
    c: &[&[], &[4.0], &[1.0, -1.0], &[1.0, -1.0, -8.0 / 3.0]],
    m: &[2.0, 0.0, 1.0, 1.0],
    e: &[0.0, 0.0, 0.0, 1.0],
    explicit: None,
};

/// Order 5, with error of order 4; 8 stages, L-stable and stiffly accurate.
pub const RODAS5P: Method = Method {
    name: "rodas5p",
    source: "Steinebach, Construction of Rosenbrock-Wanner method Rodas5P and numerical benchmarks within the Julia differential equations \
             package, BIT Numer. Math. 63 (2023) 27",
    order: 5,
    gamma: 0.211_937_563_194_290_14,
    a: &[
        &[],
        &[3.0],
        &[2.849_394_379_747_939, 0.458_422_422_044_639_23],
        &[-6.954_028_509_809_101, 2.489_845_061_869_568, -10.358_996_098_473_584],
        &[2.802_998_627_562_896_4, 0.507_246_473_622_820_6, -0.398_831_254_177_052_4, -0.047_211_872_304_046_41],
        &[
            -7.502_846_399_306_121, 2.561_846_144_803_919, -11.627_539_656_261_098, -0.182_687_676_599_422_56,
            0.030_198_172_008_377_946,
        ],
        &[
            -7.502_846_399_306_121, 2.561_846_144_803_919, -11.627_539_656_261_098, -0.182_687_676_599_422_56,
            0.030_198_172_008_377_946, 1.0,
        ],
        &[
            -7.502_846_399_306_121, 2.561_846_144_803_919, -11.627_539_656_261_098, -0.182_687_676_599_422_56,
            0.030_198_172_008_377_946, 1.0, 1.0,
        ],
    ],
    c: &[
        &[],
        &[-14.155_112_264_123_755],
        &[-17.972_960_358_859_52, -2.859_693_295_451_294],
        &[147.121_502_757_117_16, -1.412_214_027_182_13, 71.689_402_513_023_58],
        &[165.435_170_248_716_76, -0.459_282_345_649_112_6, 42.909_383_369_586_03, -5.961_986_721_573_306],
        &[
            24.854_864_614_690_072, -3.000_922_700_283_218_6, 47.493_111_002_076_8, 5.581_419_782_155_812_5,
            -0.661_069_182_524_947_1,
        ],
        &[
            30.912_732_140_285_99, -3.120_824_334_993_797_4, 77.799_546_460_708_92, 34.286_460_282_947_83,
            -19.097_331_116_725_623, -28.087_943_162_872_662,
        ],
        &[
            37.802_771_233_905_63, -3.257_196_902_907_227_6, 112.269_188_494_963_27, 66.934_723_124_404_7,
            -40.066_189_370_910_02, -54.667_802_628_779_68, -9.488_616_523_096_27,
        ],
    ],
    m: &[
        -7.502_846_399_306_121, 2.561_846_144_803_919, -11.627_539_656_261_098, -0.182_687_676_599_422_56,
        0.030_198_172_008_377_946, 1.0, 1.0, 1.0,
    ],
    e: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    explicit: None,
};

/// Order 2, with error of order 1; 2 stages.
pub const HEUN: Explicit = Explicit {
    name: "heun",
    source: "Heun, Zeitschrift fuer Mathematik und Physik 45 (1900) 23; Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, \
             2nd ed. (1993), section II.1, with Euler's method for the error",
    order: 2,
    a: &[&[], &[1.0]],
    b: &[0.5, 0.5],
    e: &[-0.5, 0.5],
    stable: 2.0,
};

/// Points that few explicit steps take to their ends are advanced by these, others by the default.
pub const AUTO: Method = Method { explicit: Some(HEUN), ..RODAS5P };

/// The Rosenbrock methods, the default first.
pub const METHODS: [Method; 4] = [RODAS5P, RODAS4, ROS4, RODAS3];
