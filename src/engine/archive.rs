//! How does a whole store leave, and come in, while the loop runs? An export reads beside the loop; an import goes through it,
//! and all is then planned anew, as at a start.

use std::ops::RangeInclusive;
use std::sync::Arc;

use tokio::sync::oneshot;
use uuid::Uuid;

use crate::domain::event::Snapshot;
use crate::domain::import::{Imported, Rehearsal};
use crate::engine::handle::Handle;
use crate::engine::input::{CallError, Input};
use crate::engine::run::{DUE_MAX, Engine};
use crate::store::StoreError;
use crate::store::archive::{Export, Staged, Staging};

/// A store that leaves, page by page. Dropping it gives it up.
#[derive(Debug)]
pub struct Exporting {
    total: u64,
    export: Option<Box<dyn Export>>,
}

impl Exporting {
    /// Returns how many lines there are in all.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Returns the next lines, none behind the last.
    ///
    /// # Errors
    /// The store fails; there are no more lines then.
    pub async fn page(&mut self) -> Result<Vec<String>, CallError> {
        let Some(mut export) = self.export.take() else { return Ok(Vec::new()) };
        let read = tokio::task::spawn_blocking(move || {
            let page = export.page();
            (export, page)
        });
        let (export, page) = read.await.map_err(|_| CallError::Stopping)?;
        let page = page?;
        self.export = Some(export);
        Ok(page)
    }
}

/// What is to come in, as far as it is here. Dropping it gives it up.
#[derive(Debug)]
pub struct Importing {
    staging: Option<Box<dyn Staging>>,
}

impl Importing {
    /// Takes the next lines.
    ///
    /// # Errors
    /// One of them says nothing that fits, or the disk is full: the whole is given up then.
    pub async fn take(&mut self, lines: Vec<String>) -> Result<(), CallError> {
        let Some(mut staging) = self.staging.take() else { return Err(CallError::Stopping) };
        let taken = tokio::task::spawn_blocking(move || {
            let taken = lines.iter().try_for_each(|line| staging.take(line));
            (staging, taken)
        });
        let (staging, taken) = taken.await.map_err(|_| CallError::Stopping)?;
        taken?;
        self.staging = Some(staging);
        Ok(())
    }
}

impl Handle {
    /// Begins to export the store as it now is.
    ///
    /// # Errors
    /// The store fails.
    pub async fn export(&self) -> Result<Exporting, CallError> {
        let export = self.read(|store| Ok(store.export()?)).await?;
        Ok(Exporting { total: export.total(), export: Some(export) })
    }

    /// Returns the places of the events that came in with the next import behind a place or around it.
    ///
    /// # Errors
    /// The store fails.
    pub async fn import_behind(&self, seq: u64) -> Result<Option<RangeInclusive<u64>>, CallError> {
        self.read(move |store| Ok(store.import_behind(seq)?)).await
    }

    /// Begins an import.
    ///
    /// # Errors
    /// Another one is under way, or the disk is full.
    pub async fn begin_import(&self) -> Result<Importing, CallError> {
        // An import that is under way is no trouble of the store.
        let store = Arc::clone(self.store());
        let staging = tokio::task::spawn_blocking(move || store.stage()).await.map_err(|_| CallError::Stopping)?;
        Ok(Importing { staging: Some(staging?) })
    }

    /// Brings in what is here, all of it or nothing, or tells what that would be; answers when it is committed and planned.
    ///
    /// # Errors
    /// It is not complete or does not fit together, the store fails, or too many inputs wait.
    pub async fn finish_import(&self, importing: Importing, rehearsal: Rehearsal) -> Result<Imported, CallError> {
        let Some(staging) = importing.staging else { return Err(CallError::Stopping) };
        let staged = tokio::task::spawn_blocking(move || staging.finish()).await.map_err(|_| CallError::Stopping)??;
        self.ask(|reply| Input::Import { import: Import { staged, rehearsal }, reply }).await
    }
}

/// What is to be brought in.
#[derive(Debug)]
pub struct Import {
    /// What is staged.
    pub staged: Staged,
    /// Whether it is only told.
    pub rehearsal: Rehearsal,
}

/// An import, and who waits for it.
pub(super) type AskedImport = (Import, oneshot::Sender<Result<Imported, CallError>>);

impl Engine {
    /// Brings in what is staged. What came in is then taken up as a start takes it up: what passed meanwhile rings as it does
    /// after a time off, and what an outbox called queued may be sent again.
    pub(super) async fn import(&mut self, (import, reply): AskedImport) {
        let Import { staged, rehearsal } = import;
        let is_zone_known =
            self.store.identity().is_ok_and(|now| now.zone.as_deref() == Some(self.clock.zone().name()));
        let imported = self.store.import(staged, rehearsal, self.clock.now()).await.map_err(Arc::new);
        if let (Ok(imported), Rehearsal::No) = (&imported, rehearsal) {
            tracing::info!(tasks = imported.added, events = imported.events, "imported");
            if let Err(error) = self.take_up_import(imported, is_zone_known).await {
                // It is in the store, and planned once that answers again.
                self.storage.has_recovered = false;
                self.hold_back(&error, self.clock.now());
            }
        }
        if let Err(error) = &imported {
            self.health.failed(error, self.clock.now());
        }
        // Who asked may have gone.
        let _ = reply.send(imported.map_err(|source| CallError::Store { source }));
    }

    /// `is_zone_known` says that the floating times of what was here before were read by the zone of the device.
    async fn take_up_import(&mut self, imported: &Imported, is_zone_known: bool) -> Result<(), Arc<StoreError>> {
        self.tell_last_seq(imported.last_seq);
        self.rebuild()?;
        let zone = self.store.identity()?.zone;
        match imported.op {
            // Only what came in was read by another zone, or by nobody knows which.
            Some(op) if zone.is_none() && is_zone_known => self.rezone_imported(op).await?,
            Some(_) | None => self.follow_zone(zone.as_deref()).await?,
        }
        self.tell_untold().await?;
        self.take_up_outbox().await?;
        self.take_up_runs().await
    }

    async fn rezone_imported(&mut self, op: Uuid) -> Result<(), Arc<StoreError>> {
        let tasks = self.store.imported_by(op)?.unwrap_or_default();
        let mut open = Vec::new();
        for tasks in tasks.chunks(DUE_MAX) {
            let is_open = |snapshot: &Snapshot| !snapshot.occurrence.has_ended() && snapshot.task.deleted_at.is_none();
            let found = self.store.snapshots(tasks)?;
            open.extend(found.into_iter().filter(is_open).map(|snapshot| snapshot.task.id));
        }
        self.rezone(&open, None).await
    }
}
