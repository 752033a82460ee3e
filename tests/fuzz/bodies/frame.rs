//! What do bytes of a stranger do to the reading of the wire? The body of a fuzz target, which the tests run with seeded bytes.
//!
//! It asserts what must hold of any input; that nothing panics is asserted by whoever runs it.

use std::collections::BTreeMap;
use std::fmt::Debug;

use keiko::protocol::envelope::{Message, Request, Response, read_params, read_received, read_requests};
use keiko::protocol::framing::{FRAME_BYTES_MAX, Frames};
use keiko::protocol::methods::{
    Ack, Add, Advance, Ask, Cancel, ChannelList, ChannelPause, ChannelResume, ChannelTest, DeliveryList, Discover,
    Done, EventList, EventSubscribe, EventUnsubscribe, Get, Hello, History, List, Method, Parse, Pause, Resume, Skip,
    Snooze, Status, Stop, Update,
};
use keiko::protocol::{error_code::ErrorKind, from_wire};
use serde_json::Value;
use serde_json::value::RawValue;

/// The longest frame of [`frame`]: short, so that the limit is met too.
const LIMIT: usize = 4096;

/// Reads bytes as both sides of the wire do: frames, envelopes, and the parameters of every method from whatever came.
pub(crate) fn frame(bytes: &[u8]) {
    let (cut, bytes) = bytes.split_first().map_or((0, bytes), |(first, rest)| (usize::from(*first), rest));
    let mut frames = Frames::new(if cut % 2 == 0 { LIMIT } else { FRAME_BYTES_MAX });
    // Arriving in pieces means the same as arriving at once.
    for piece in bytes.chunks(cut + 1) {
        frames.push(piece);
        loop {
            match frames.next_frame() {
                Ok(Some(frame)) => message(&frame),
                Ok(None) => break,
                Err(_) => {}
            }
        }
    }
    let _ = frames.finish();
}

fn message(frame: &[u8]) {
    // A client reads the daemon's lines; they may be anything too.
    let _ = read_received(frame);
    match read_requests(frame) {
        Message::Single(request) => one(request),
        Message::Batch(requests) => requests.into_iter().for_each(one),
    }
}

fn one(request: Result<Request, Response>) {
    match request {
        Err(response) => answered(&response),
        Ok(Request { id, method, params }) => {
            let params = params.as_deref();
            let _ = Method::from_word(&method);
            every_method(params);
            let Some(id) = id else { return };
            if let Err(error) = read_params::<Add>(params) {
                answered(&Response { id, outcome: Err(error) });
            }
        }
    }
}

/// Whatever came, the answer is one line of JSON with an error that has a code and a kind.
fn answered(response: &Response) {
    let text = response.to_text();
    assert!(!text.contains('\n'), "an answer is one line");
    // The id is given back letter by letter, and may be a number that fits nowhere.
    let answer: BTreeMap<String, &RawValue> = serde_json::from_str(&text).expect("an answer is JSON");
    let error: Value = serde_json::from_str(answer["error"].get()).expect("an error is JSON");
    assert!(answer.contains_key("id") && error["code"].is_i64() && error["data"]["kind"].is_string(), "{text}");
}

fn every_method(params: Option<&RawValue>) {
    macro_rules! read {
        ($($params:ident)*) => { $(read::<$params>(params);)* };
    }
    read! {
        Hello Status Stop Get List Done Ack Resume Skip Cancel History EventList EventSubscribe EventUnsubscribe
        DeliveryList ChannelList ChannelPause ChannelResume ChannelTest Parse Advance Discover Pause Snooze Update
    }
    if let Ok(add) = read_params::<Add>(params) {
        let _ = add.zone.as_deref().map(from_wire::zone);
        let _ = add.channels.as_deref().map(from_wire::targets);
        let _ = add.tags.as_deref().map(from_wire::tags);
        let _ = add.key.as_deref().map(from_wire::occurrence);
    }
}

fn read<P: Ask + Debug>(params: Option<&RawValue>) {
    match read_params::<P>(params) {
        // What was read is written as it would be sent, and read the same.
        Ok(read) => {
            let text = serde_json::to_string(&read).expect("parameters are JSON");
            let again: &RawValue = serde_json::from_str(&text).expect("JSON");
            let again = read_params::<P>(Some(again)).expect("what was written is read");
            assert_eq!(format!("{again:?}"), format!("{read:?}"));
        }
        Err(error) => assert_eq!(error.kind(), ErrorKind::Params, "{error:?}"),
    }
}
