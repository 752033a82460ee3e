//! `store.export` and `store.import`: the whole store, as lines of JSON. What was begun is the connection's, and ends with it.

use crate::api::Api;
use crate::api::dispatch::Session;
use crate::domain::import::{Imported, Rehearsal, Untaken};
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::envelope::{RawJson, read_json};
use crate::protocol::error_code::{ErrorKind, RpcError};
use crate::protocol::methods::{self, Export, ExportResult, Import, ImportResult};

/// Tells the next page of an export, or begins one.
pub(in crate::api) async fn export(api: &Api, session: &mut Session, params: Export) -> Result<ExportResult, RpcError> {
    let refusal = |error| api.refusal(&error);
    let begun = session.export.take();
    let (mut exporting, page) = match (params.cursor, begun) {
        (None, _) => (api.handle.export().await.map_err(refusal)?, 0),
        (Some(cursor), Some((exporting, next))) if cursor == next => (exporting, next),
        (Some(cursor), _) => {
            let message =
                format!("cannot go on with the export at {cursor}: this connection has begun none that stands there");
            return Err(RpcError::new(ErrorKind::Params, message).with_hint("begin anew, without a cursor"));
        }
    };
    let total = exporting.total();
    let texts = exporting.page().await.map_err(refusal)?;
    let lines: Vec<RawJson> = texts
        .iter()
        .map(|text| read_json(text))
        .collect::<Result<_, _>>()
        .map_err(|error| RpcError::new(ErrorKind::Internal, format!("cannot export what is no JSON: {error}")))?;
    let next = (!lines.is_empty()).then_some(page + 1);
    if let Some(next) = next {
        session.export = Some((exporting, next));
    }
    Ok(ExportResult { schema_version: SCHEMA_VERSION, now: api.told(api.handle.now()), lines, total, next })
}

/// Takes the next lines of an import, and brings it in behind the last.
pub(in crate::api) async fn import(api: &Api, session: &mut Session, params: Import) -> Result<ImportResult, RpcError> {
    let refusal = |error| api.refusal(&error);
    let (mut importing, before) = match session.import.take() {
        Some(begun) => begun,
        None => (api.handle.begin_import().await.map_err(refusal)?, 0),
    };
    let lines: Vec<String> = params.lines.iter().map(|line| line.get().to_owned()).collect();
    let count = before + lines.len() as u64;
    importing.take(lines).await.map_err(refusal)?;
    if !params.finish {
        session.import = Some((importing, count));
        return Ok(told(api, count, &Imported::default()));
    }
    let rehearsal = if params.dry_run { Rehearsal::Only } else { Rehearsal::No };
    let imported = api.handle.finish_import(importing, rehearsal).await.map_err(refusal)?;
    let op_id = imported.op.filter(|_| !params.dry_run).map(|op| op.to_string());
    Ok(ImportResult { finished: true, dry_run: params.dry_run, op_id, ..told(api, count, &imported) })
}

fn told(api: &Api, lines: u64, imported: &Imported) -> ImportResult {
    ImportResult {
        schema_version: SCHEMA_VERSION,
        now: api.told(api.handle.now()),
        lines,
        finished: false,
        dry_run: false,
        added: imported.added,
        op_id: None,
        already_there: imported.there,
        deleted: imported.deleted,
        refused_total: imported.untaken_total,
        refused: imported.untaken.iter().map(untaken).collect(),
        renumbered: imported.renumbered,
        events: imported.events,
    }
}

fn untaken(untaken: &Untaken) -> methods::Untaken {
    methods::Untaken { id: untaken.id.to_string(), title: untaken.title.clone(), reason: untaken.why.told().to_owned() }
}
