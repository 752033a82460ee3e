//! Which hour is "morning", and is 6/5 in June or in May?

use chrono::NaiveTime;

/// The order of numeric dates.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Dialect {
    /// Month first: 6/13.
    #[default]
    Us,
    /// Day first: 13/6.
    Uk,
}

/// What words without a clock time mean, as local times of day.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The order of numeric dates.
    pub dialect: Dialect,
    /// A day without a time.
    pub date_only: NaiveTime,
    /// "in the morning".
    pub morning: NaiveTime,
    /// "in the afternoon".
    pub afternoon: NaiveTime,
    /// "in the evening".
    pub evening: NaiveTime,
    /// "tonight".
    pub tonight: NaiveTime,
    /// "at night".
    pub night: NaiveTime,
    /// "by the end of the day".
    pub end_of_day: NaiveTime,
}

/// The hours of `phrases.md`: 9, 9, 15, 19, 20, 21, 17.
impl Default for Settings {
    fn default() -> Self {
        Self {
            dialect: Dialect::default(),
            date_only: hour(9),
            morning: hour(9),
            afternoon: hour(15),
            evening: hour(19),
            tonight: hour(20),
            night: hour(21),
            end_of_day: hour(17),
        }
    }
}

impl Settings {
    /// Returns the starts of the parts of the day in order, noon included.
    pub(super) fn parts(&self) -> [NaiveTime; 6] {
        let mut parts = [self.morning, hour(12), self.afternoon, self.evening, self.tonight, self.night];
        parts.sort_unstable();
        parts
    }
}

fn hour(hour: u32) -> NaiveTime {
    NaiveTime::from_hms_opt(hour, 0, 0).expect("the hours of this file are below 24")
}
