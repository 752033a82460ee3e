//! How a time for which the person is away lies in its row.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::domain::quiet::Away;
use crate::store::sqlite::rows::{RowError, timestamp};

/// A time for which the person is away, as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct AwayRow {
    id: Uuid,
    from: i64,
    to: i64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    except: Vec<String>,
}

impl AwayRow {
    pub(crate) fn from_away(away: &Away) -> Self {
        Self { id: away.id, from: away.from.as_millis(), to: away.to.as_millis(), except: away.except.clone() }
    }

    pub(crate) fn into_away(self) -> Result<Away, RowError> {
        let (from, to) = (timestamp("away.from", self.from)?, timestamp("away.to", self.to)?);
        Ok(Away { id: self.id, from, to, except: self.except })
    }
}
