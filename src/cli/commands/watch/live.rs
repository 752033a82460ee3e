//! How is the screen kept up to date? Nothing is asked on a beat: what changes is told by the daemon, keys and signals come
//! by themselves, and the clock of the screen turns with the minute.

use std::io::{self, Read as _};
use std::sync::mpsc::{self, RecvTimeoutError, Sender, SyncSender, TrySendError};
use std::thread;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::cli::commands::overview;
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::overview::{Groups, overview as groups};
use crate::cli::render::say;
use crate::cli::render::text::{BAD, DIM, DUE, Text};
use crate::cli::render::time::Viewpoint;
use crate::cli::start;
use crate::cli::ui::screen::{Screen, Size};
use crate::client::{Client, ClientError};
use crate::config::paths::Paths;
use crate::protocol::methods::{EventSubscribe, RowsResult};

/// How many things may be told before the screen has looked: more say nothing new.
const TOLD_MAX: usize = 64;

/// A minute, at whose turn distances change.
const MINUTE_MS: i64 = 60_000;

/// What Ctrl-C types.
const INTERRUPT: u8 = 3;

/// What Ctrl-L types.
const REDRAW: u8 = 12;

/// What Ctrl-Z types.
const SUSPEND: u8 = 26;

/// What the screen is told.
enum Told {
    /// Something changed.
    Changed,
    /// The daemon went away.
    Gone,
    /// The daemon will not be followed any more.
    Failed(Box<CliError>),
    /// A key was pressed.
    Key(u8),
    /// The process is to end.
    End(Exit),
}

/// Shows the screen until somebody wants no more.
pub(super) fn run(context: &mut Context<'_>) -> Result<Exit, CliError> {
    // Before the screen is taken, so that what stands in the way is read as usual.
    let mut seen = overview::look(context)?;
    context.stay();
    let (tell, told) = mpsc::sync_channel(TOLD_MAX);
    let paths = Paths::of_process()?;
    let end = tell.clone();
    thread::spawn(move || keys(&end));
    let end = tell.clone();
    let (ready, is_ready) = mpsc::channel();
    thread::spawn(move || signals(&end, ready));
    thread::spawn(move || changes(&paths, &tell));
    // Its end says that no signal ends the process any more with the screen taken.
    let _ = is_ready.recv();
    let mut screen = context.ui.screen().map_err(|source| CliError::Output { source })?;
    let mut is_gone = false;
    loop {
        let view = context.viewpoint(seen.now);
        let lines = lines(&seen, view, screen.size(), is_gone);
        screen.draw(&lines).map_err(|source| CliError::Output { source })?;
        let until_turn = MINUTE_MS - view.now.as_millis().rem_euclid(MINUTE_MS);
        let limit = Duration::from_millis(until_turn.unsigned_abs());
        let mut next = told.recv_timeout(limit);
        loop {
            match next {
                Ok(Told::Changed) => is_gone = false,
                Ok(Told::Gone) => is_gone = true,
                Ok(Told::Failed(error)) => {
                    screen.leave();
                    return Err(*error);
                }
                Ok(Told::End(exit)) => return Ok(exit),
                Ok(Told::Key(b'q' | b'Q')) => return Ok(Exit::Done),
                Ok(Told::Key(INTERRUPT)) => return Ok(Exit::Interrupted),
                Ok(Told::Key(SUSPEND)) => suspend(&mut screen)?,
                Ok(Told::Key(REDRAW)) => screen.enter().map_err(|source| CliError::Output { source })?,
                // Any other key looks anew at least.
                Ok(Told::Key(_)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Exit::Done),
            }
            // All that has come is one reason to look.
            match told.try_recv() {
                Ok(more) => next = Ok(more),
                Err(_) => break,
            }
        }
        if is_gone {
            continue;
        }
        match look(context) {
            Ok(found) => seen = found,
            Err(error) if error.is_loss() => is_gone = true,
            Err(error) => {
                screen.leave();
                return Err(error);
            }
        }
    }
}

/// Asks for what is to be shown. A connection that was closed for others is no sign that the daemon went away.
fn look(context: &mut Context<'_>) -> Result<RowsResult, CliError> {
    match overview::look(context) {
        Err(error) if error.is_loss() => {
            context.hang_up();
            let again = overview::look(context);
            if again.is_err() {
                context.hang_up();
            }
            again
        }
        seen => seen,
    }
}

/// Returns the rows of the screen: what `keiko` shows, and what there is to say of it.
fn lines(seen: &RowsResult, view: Viewpoint, size: Size, is_gone: bool) -> Vec<Text> {
    let mut first = Text::styled(DIM, &view.exact(view.now));
    first.push_styled(DIM, "  q quits");
    let mut lines = vec![first, Text::default()];
    lines.extend(groups(&Groups::of(&seen.rows), view, Some(size.columns)));
    let mut last: Vec<Text> = Vec::new();
    if is_gone {
        last.push(Text::styled(BAD, say::GONE_ON_SCREEN));
    }
    for warning in &seen.warnings {
        let mut line = Text::styled(DUE, "warning");
        line.push(": ");
        line.push(warning);
        last.push(line);
    }
    last.truncate(size.rows.saturating_sub(1));
    let room = size.rows.saturating_sub(last.len() + usize::from(!last.is_empty()));
    if lines.len() > room {
        lines.truncate(room.saturating_sub(1));
        lines.push(say::more_on_list());
    }
    if !last.is_empty() {
        lines.push(Text::default());
    }
    lines.extend(last);
    lines
}

/// Lets the shell have the terminal until it gives it back.
fn suspend(screen: &mut Screen) -> Result<(), CliError> {
    screen.suspend().map_err(|source| CliError::Output { source })
}

/// Tells each key, until there are no more.
fn keys(tell: &SyncSender<Told>) {
    let mut bytes = [0; 64];
    let mut input = io::stdin().lock();
    // Without a terminal to type on, as with input from a file, signals alone end it.
    while let Ok(count @ 1..) = input.read(&mut bytes) {
        // Keys such as the arrows are several bytes, of which the first says that it is none of ours.
        let key = if count == 1 { bytes[0] } else { 0 };
        if tell.send(Told::Key(key)).is_err() {
            return;
        }
    }
}

/// Tells of signals: a new size of the terminal, and the wish that the process ends.
fn signals(tell: &SyncSender<Told>, ready: Sender<()>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
    runtime.block_on(async {
        let listen = |kind| signal(kind);
        let (Ok(mut resized), Ok(mut interrupt), Ok(mut terminate), Ok(mut hang_up)) = (
            listen(SignalKind::window_change()),
            listen(SignalKind::interrupt()),
            listen(SignalKind::terminate()),
            listen(SignalKind::hangup()),
        ) else {
            return;
        };
        drop(ready);
        loop {
            let told = tokio::select! {
                _ = resized.recv() => Told::Changed,
                _ = interrupt.recv() => Told::End(Exit::Interrupted),
                _ = terminate.recv() => Told::End(Exit::Terminated),
                _ = hang_up.recv() => Told::End(Exit::Terminated),
            };
            if tell.send(told).is_err() {
                return;
            }
        }
    });
}

/// Tells that something changed, and whether the daemon is there, for as long as somebody listens.
fn changes(paths: &Paths, tell: &SyncSender<Told>) {
    let mut known = start::connect(paths);
    loop {
        let ended = known.and_then(|client| follow(client, tell));
        let told = match ended {
            Ok(()) => return,
            Err(error) if error.is_loss() => Told::Gone,
            // It reads too slowly, or others needed its place: it asks anew.
            Err(error) if error.is_limit() => Told::Changed,
            Err(error) => Told::Failed(Box::new(error)),
        };
        let is_over = matches!(told, Told::Failed(_));
        if tell.send(told).is_err() || is_over {
            return;
        }
        known = loop {
            match start::connect_again(paths) {
                // Whoever looks at the screen sees that it is gone, and may wait for longer.
                Err(CliError::Client(ClientError::NoDaemon { .. })) => {}
                connected => break connected,
            }
        };
    }
}

/// Tells of changes until the connection ends, or nobody listens.
fn follow(mut client: Client, tell: &SyncSender<Told>) -> Result<(), CliError> {
    client.call(&EventSubscribe { since: None })?;
    client.wait_for_ever()?;
    loop {
        // What waits to be told already says as much.
        if let Err(TrySendError::Disconnected(_)) = tell.try_send(Told::Changed) {
            return Ok(());
        }
        client.notification()?;
    }
}
