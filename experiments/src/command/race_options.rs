//! The options of a race on the command line, for every command that plays one. Flatten
//! [`RaceOptions`] into its arguments.

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use cuebench_engine::snooker::{
    AimNoise, Layout, MaxShots, NoiseError, Options, OptionsError, Order, Race, TableOption,
};
use cuebench_engine::table::PocketSet;

/// The options that both seats see, and the aiming noise.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct RaceOptions {
    /// Proportions of the pockets.
    #[arg(long, default_value = "snooker", value_parser = pocket_sets())]
    pockets: PocketSet,
    /// Where the balls start: all at random, or the colours on the snooker spots.
    #[arg(long, default_value = "random", value_parser = words::<Layout>(&["random", "spots"]))]
    layout: Layout,
    /// Whether cloth speed and restitution are hidden until the end or known from the start.
    #[arg(long, default_value = "hidden", value_parser = words::<TableOption>(&["hidden", "known"]))]
    table: TableOption,
    /// Which colour may be played: always the lowest, or any.
    #[arg(long, default_value = "snooker", value_parser = words::<Order>(&["snooker", "any"]))]
    order: Order,
    /// Strokes after which a table closes, 10 to 60.
    #[arg(long, value_name = "N", default_value_t, value_parser = max_shots)]
    max_shots: MaxShots,
    /// Normal errors of aim: none, olympiad (0.125 degrees, 0.075 m/s), or ANGLE_DEG,SPEED_M_S.
    #[arg(long, value_name = "NOISE", default_value = "none", value_parser = noise)]
    noise: Noise,
}

/// Aiming noise as given: `None` inside is no noise.
#[derive(Clone, Copy, Debug)]
struct Noise(Option<AimNoise>);

impl RaceOptions {
    /// One seat's table of the race under these options.
    #[must_use]
    pub const fn race(&self, clock_ms: Option<u64>) -> Race {
        let &Self { pockets, layout, table, order, max_shots, noise: Noise(noise) } = self;
        let options = Options { pockets, layout, table, order, max_shots };
        Race { options, noise, clock_ms, alone: true }
    }
}

fn max_shots(text: &str) -> Result<MaxShots, OptionsError> {
    text.parse()
}

fn noise(text: &str) -> Result<Noise, NoiseError> {
    AimNoise::parse(text).map(Noise)
}

fn words<T>(known: &'static [&'static str]) -> impl clap::builder::TypedValueParser<Value = T>
where
    T: std::str::FromStr<Err = OptionsError> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(known).try_map(|word| word.parse::<T>())
}

fn pocket_sets() -> impl clap::builder::TypedValueParser<Value = PocketSet> {
    let names = PocketSet::ALL.map(PocketSet::name);
    PossibleValuesParser::new(names).map(|word| {
        let same = |set: &PocketSet| set.name() == word;
        PocketSet::ALL.into_iter().find(same).unwrap_or(PocketSet::Snooker)
    })
}
