//! How does a person's answer get from a service that has to be asked for it to the one who listens?
//!
//! What chats and push have in common: one follower for each distinct service, pauses after failures, and words for what
//! came of an answer. It never decides what follows.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::domain::retry::{Jitter, wait};
use crate::domain::secret::Secret;
use crate::domain::time::Span;
use crate::notify::responses::{Act, Response, Responses, Ring};

/// How long it may take until it is known what came of an answer: a commit takes milliseconds.
const HEARD_WITHIN: Duration = Duration::from_secs(10);

/// Failures in a row beyond this make the pause no longer: a button that does nothing for an hour is no button.
const PAUSE_STEPS_MAX: u32 = 3;

/// Tells what a person answered. Returns what came of it in words for them, and whether it was done.
///
/// # Errors
/// Nobody hears it now: it is to be told again.
pub(in crate::notify) async fn tell(
    responses: &Responses,
    ring: Ring,
    act: Act,
    key: &str,
) -> Result<Result<String, String>, String> {
    let Some(listener) = responses.listener() else { return Err("nobody listens yet".to_owned()) };
    let (outcome, told) = oneshot::channel();
    let response = Response { ring, act, key: Some(key.to_owned()), outcome: Some(outcome) };
    let heard = async {
        listener.send(response).await.map_err(|_| "nobody listens any more".to_owned())?;
        told.await.map_err(|_| "it was not heard to its end".to_owned())
    };
    let came_of_it = timeout(HEARD_WITHIN, heard).await;
    let came_of_it = came_of_it.unwrap_or_else(|_| Err(format!("nothing came of it within {HEARD_WITHIN:?}")))?;
    Ok(came_of_it.map(|()| done(act)))
}

fn done(act: Act) -> String {
    match act {
        Act::Dismiss | Act::Ack => "seen".to_owned(),
        Act::Done => "✓ done".to_owned(),
        Act::Snooze(by) => format!("snoozed for {by}"),
    }
}

/// Waits after so many failures in a row, at least what the service asked for; whoever knocks ends it.
pub(in crate::notify) async fn pause(failures: u32, retry_after: Option<Span>, knock: &Notify) {
    let pause = wait(failures.min(PAUSE_STEPS_MAX), retry_after, Jitter::NONE).to_duration();
    // Whether the time is over or the network came back, what follows is the same.
    let _ = timeout(pause, knock.notified()).await;
}

/// Follows the services of some targets, those of one secret together, until it is dropped.
///
/// Two that ask one service with one token would take each other's answers. A secret that cannot be read
/// is read again, and holds up no other for longer than that takes once.
pub(in crate::notify) async fn follow_each<T: Send + Sync>(
    targets: Vec<Arc<T>>,
    secret: impl for<'a> Fn(&'a T) -> BoxFuture<'a, Result<Secret, String>>,
    follow: impl Fn(Vec<Arc<T>>) -> BoxFuture<'static, ()>,
    knock: Arc<Notify>,
) {
    let mut followers = JoinSet::new();
    let (mut known, mut failures) = (0, 0);
    loop {
        let mut groups: Vec<(Secret, Vec<Arc<T>>)> = Vec::new();
        // All at once: a program that prints one may wait for a person.
        let secrets = join_all(targets.iter().map(|target| secret(target))).await;
        for (target, secret) in targets.iter().zip(secrets) {
            match secret {
                Ok(secret) => match groups.iter_mut().find(|(known, _)| *known == secret) {
                    Some((_, group)) => group.push(Arc::clone(target)),
                    None => groups.push((secret, vec![Arc::clone(target)])),
                },
                Err(error) if failures == 0 => tracing::warn!(error, "no button of a chat or topic is heard"),
                Err(error) => tracing::debug!(error, "no button of a chat or topic is heard yet"),
            }
        }
        let readable = groups.iter().map(|(_, group)| group.len()).sum();
        if readable > known {
            followers.abort_all();
            for (_, group) in groups {
                followers.spawn(follow(group));
            }
            known = readable;
        }
        if known == targets.len() {
            let never: () = pending().await;
            return never;
        }
        failures += 1;
        pause(failures, None, &knock).await;
    }
}
