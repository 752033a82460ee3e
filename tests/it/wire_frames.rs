//! Ten thousand ways to say nothing: seeded bad frames to the real daemon over its real socket.
//!
//! `KEIKO_BAD_FRAMES=10000 cargo test --test it wire_frames -- --nocapture` runs a longer campaign than the suite does.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use keiko::client::Client;
use keiko::protocol::methods::{Get, List};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::fuzz_bodies::{frame, sentence};
use crate::support::daemon::{Connection, Home};
use crate::support::measure::{micros, quantile, status_field, tell, to_f64};
use crate::support::random::Random;

/// How many frames the suite sends.
const FRAMES: usize = 1_000;

/// How much more memory the daemon may use after all of them than after the first tenth, in MiB: some frames and answers
/// of a megabyte that the allocator keeps for the next, on each of its threads.
const GROWTH_MAX: f64 = 24.0;

/// The longest that one of a hundred questions of another client may take meanwhile, in ms: the machine is shared, and
/// the programs of the suite are not optimized.
const ANSWER_MAX: f64 = 500.0;

/// What stands in place of a parameter that should have been something else.
const VALUES: [&str; 24] = [
    "null",
    "true",
    "-1",
    "1.5",
    "1e400",
    "-0",
    "18446744073709551616",
    "99999999999999999999999999999999999999",
    r#""""#,
    r#"" ""#,
    r#""\u0000""#,
    r#""\ud83d""#,
    r#""\u202e\u001b[31m""#,
    r#""in 99999999999 years""#,
    r#""*/0 * * * *""#,
    r#""FREQ=SECONDLY;COUNT=4000000000""#,
    r#""~""#,
    "[]",
    "[[[[[[[[[[]]]]]]]]]]",
    "[null, 1, {}]",
    "{}",
    r#"{"":{"":{}}}"#,
    r#"{"a":1,"a":2}"#,
    r#"["webhook:", "carrier pigeon"]"#,
];

/// Calls that are in order, but name no task that there is: what becomes of them by chance changes none of those either.
const CALLS: [&str; 16] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"task.get","params":{"task":"nobody has this title"}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"task.update","params":{"task":"nobody has this title","version":7,"title":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":"three","method":"task.snooze","params":{"task":"nobody has this title","for":"10m"}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"task.cancel","params":{"task":"nobody has this title"}}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"task.pause","params":["nobody has this title","2h"]}"#,
    r#"{"jsonrpc":"2.0","id":6,"method":"task.done","params":{"task":"nobody has this title","occurrence":"once~1"}}"#,
    r#"{"jsonrpc":"2.0","id":7,"method":"task.list","params":{"all":true,"limit":3,"after":2}}"#,
    r#"{"jsonrpc":"2.0","id":8,"method":"task.history","params":{"task":"nobody has this title","full":true}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"event.list","params":{"since":3,"limit":5}}"#,
    r#"{"jsonrpc":"2.0","id":10,"method":"event.unsubscribe","params":{"subscription":9}}"#,
    r#"{"jsonrpc":"2.0","id":11,"method":"time.parse","params":{"text":"dentist next friday 3pm","zone":"Europe/Berlin"}}"#,
    r#"{"jsonrpc":"2.0","id":12,"method":"channel.pause","params":{"target":"webhook:nobody"}}"#,
    r#"{"jsonrpc":"2.0","id":13,"method":"delivery.list","params":{"target":"desktop","status":"held","limit":9}}"#,
    r#"{"jsonrpc":"2.0","id":14,"method":"daemon.hello","params":{"client_version":"9","protocol":1}}"#,
    r#"{"jsonrpc":"2.0","id":15,"method":"daemon.status"}"#,
    r#"[{"jsonrpc":"2.0","id":16,"method":"task.ack","params":{"task":"nobody has this title"}},{"jsonrpc":"2.0","id":17,"method":"rpc.discover"}]"#,
];

/// What is sent, and how.
enum Bad {
    /// One line, which is answered unless it may be a notification.
    Line(Vec<u8>),
    /// Several lines at once, each answered.
    Heap(Vec<Vec<u8>>),
    /// A beginning, after which the caller hangs up both ways.
    CutOff(Vec<u8>),
    /// A beginning, after which the caller says nothing more but waits for what it is told.
    HalfClosed(Vec<u8>),
}

/// Makes bad frames.
struct Maker {
    random: Random,
    /// Each method with the names of its parameters, as the daemon tells them.
    methods: Vec<(String, Vec<String>)>,
}

impl Maker {
    fn next(&mut self) -> Bad {
        match self.random.below(100) {
            0..10 => Bad::Line(self.garbage()),
            10..40 => Bad::Line(self.mutated()),
            40..65 => Bad::Line(self.of_wrong_type().into_bytes()),
            65..67 => Bad::Line(self.oversized()),
            67..73 => Bad::CutOff(self.begun()),
            73..77 => Bad::HalfClosed(self.begun()),
            77..82 => Bad::Heap((0..20).map(|_| self.of_wrong_type().into_bytes()).collect()),
            82..87 => Bad::Line(self.deep().into_bytes()),
            87..93 => Bad::Line(self.no_text()),
            93..98 => Bad::Line(self.huge_number().into_bytes()),
            _ => Bad::Line(self.huge_batch().into_bytes()),
        }
    }

    fn one_of<T>(&mut self, list: &[T]) -> usize {
        usize::try_from(self.random.below(list.len() as u64)).expect("short")
    }

    fn byte(&mut self) -> u8 {
        // The low byte of a number; a newline would make two frames of one.
        match self.random.next().to_le_bytes()[0] {
            b'\n' => b'"',
            byte => byte,
        }
    }

    fn garbage(&mut self) -> Vec<u8> {
        (0..=self.random.below(300)).map(|_| self.byte()).collect()
    }

    fn mutated(&mut self) -> Vec<u8> {
        let mut bytes = CALLS[self.one_of(&CALLS)].as_bytes().to_vec();
        for _ in 0..=self.random.below(6) {
            let at = self.one_of(&bytes);
            match self.random.below(5) {
                0 => bytes[at] = self.byte(),
                1 => bytes[at] ^= 1 << self.random.below(7),
                2 => bytes.truncate(at.max(1)),
                3 => drop(bytes.remove(at)),
                _ => {
                    let other = CALLS[self.one_of(&CALLS)].as_bytes();
                    bytes.splice(at..at, other[other.len() / 2..].iter().copied());
                }
            }
            if bytes.is_empty() {
                bytes.push(b'{');
            }
        }
        bytes.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b'\t');
        bytes
    }

    /// Returns a call of any method with one or two parameters of any type, most of them wrong.
    fn of_wrong_type(&mut self) -> String {
        let index = self.random.below(self.methods.len() as u64);
        let (method, mut names) = self.methods[usize::try_from(index).expect("few")].clone();
        names.push("no_such_parameter".to_owned());
        let of = |maker: &mut Self| {
            let name = names[maker.one_of(&names)].clone();
            format!("{name:?}:{}", VALUES[maker.one_of(&VALUES)])
        };
        let (first, second) = (of(self), of(self));
        // One that nobody knows, so that nothing is stopped, moved or added by luck.
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{{first},{second},"luck":0}}}}"#)
    }

    fn oversized(&mut self) -> Vec<u8> {
        let length = 1024 * 1024 + 1 + usize::try_from(self.random.below(1024 * 1024)).expect("small");
        let mut line = br#"{"jsonrpc":"2.0","id":1,"method":"task.add","params":{"title":""#.to_vec();
        line.resize(length, b'x');
        line
    }

    fn begun(&mut self) -> Vec<u8> {
        let whole = CALLS[self.one_of(&CALLS)].as_bytes();
        whole[..=self.one_of(&whole[1..])].to_vec()
    }

    fn deep(&mut self) -> String {
        let depth = 100 + usize::try_from(self.random.below(100_000)).expect("small");
        match self.random.below(4) {
            0 => "[".repeat(depth),
            1 => r#"{"a":"#.repeat(depth),
            2 => format!("{}{}", "[".repeat(depth), "]".repeat(depth)),
            _ => {
                let (open, close) = ("[".repeat(depth), "]".repeat(depth));
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"task.add","params":{{"metadata":{open}{close}}}}}"#)
            }
        }
    }

    /// Returns a call with bytes in it that are no UTF-8, or that no text should have.
    fn no_text(&mut self) -> Vec<u8> {
        let bad: [&[u8]; 6] = [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\0", b"\x1b"];
        let mut line = br#"{"jsonrpc":"2.0","id":1,"method":"task.add","params":{"title":""#.to_vec();
        line.extend_from_slice(bad[self.one_of(&bad)]);
        line.extend_from_slice(br#""}}"#);
        line
    }

    fn huge_number(&mut self) -> String {
        let digits = "9".repeat(1 + usize::try_from(self.random.below(5_000)).expect("small"));
        match self.random.below(4) {
            0 => format!(r#"{{"jsonrpc":"2.0","id":{digits},"method":"task.get","params":{{"task":{digits}}}}}"#),
            1 => format!(r#"{{"jsonrpc":"2.0","id":1,"method":"event.list","params":{{"limit":{digits}}}}}"#),
            2 => format!(r#"{{"jsonrpc":"2.0","id":1e{digits},"method":"task.list","params":{{"after":-{digits}}}}}"#),
            _ => format!(r#"{{"jsonrpc":{digits},"id":1,"method":"daemon.hello"}}"#),
        }
    }

    fn huge_batch(&mut self) -> String {
        let one = match self.random.below(3) {
            0 => r#"{"jsonrpc":"2.0","id":1,"method":"daemon.hello"}"#,
            1 => "1",
            _ => "[]",
        };
        let count = if self.random.chance(50) { 1_000 } else { 1_001 + self.random.below(9_000) };
        let calls = vec![one; usize::try_from(count).expect("small")].join(",");
        format!("[{calls}]")
    }
}

/// The bad caller, with a connection that it has to make anew now and then.
struct Caller<'a> {
    socket: &'a Path,
    connection: Connection,
    marker: u64,
    answered: u64,
}

impl<'a> Caller<'a> {
    fn new(socket: &'a Path) -> Self {
        Self { socket, connection: Connection::open(socket), marker: 0, answered: 0 }
    }

    fn send(&mut self, bad: Bad) {
        match bad {
            Bad::Line(line) => {
                let found = self.exchange(&[&line]);
                assert!(found > 0 || may_be_silent(&line), "no answer to {:?}", String::from_utf8_lossy(&line));
            }
            Bad::Heap(lines) => {
                let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
                assert_eq!(self.exchange(&lines), lines.len(), "each is answered once");
            }
            Bad::CutOff(begun) => Connection::open(self.socket).send(begun),
            Bad::HalfClosed(begun) => {
                let mut connection = Connection::open(self.socket);
                connection.send(&begun);
                connection.close_sending();
                check(&connection.receive());
                assert_eq!(connection.receive(), Value::Null, "then the daemon hangs up");
                self.answered += 1;
            }
        }
    }

    /// Sends lines and then a call that is in order; returns how many answers came before the one to that call.
    fn exchange(&mut self, lines: &[&[u8]]) -> usize {
        let mut bytes = lines.join(&b'\n');
        self.marker += 1;
        let marker = json!(format!("marker {}", self.marker));
        bytes.extend_from_slice(
            format!("\n{}\n", json!({"jsonrpc": "2.0", "id": marker, "method": "daemon.hello"})).as_bytes(),
        );
        self.connection.send(bytes);
        let mut answers = 0;
        loop {
            let answer = read(&self.connection.receive_line());
            check(&answer);
            if answer["id"] == marker {
                if answer["error"]["code"] == 426 {
                    // By chance it said that it speaks another protocol.
                    self.connection = Connection::open(self.socket);
                }
                return answers;
            }
            if answer["method"].is_null() {
                answers += 1;
                self.answered += 1;
            }
        }
    }
}

/// Reads a line of the daemon. Its id, which it gives back letter by letter, may be a number that fits nowhere.
#[track_caller]
fn read(line: &str) -> Value {
    #[derive(serde::Deserialize)]
    struct Answer<'a> {
        jsonrpc: Value,
        #[serde(borrow)]
        id: &'a RawValue,
        error: Value,
    }
    serde_json::from_str(line).unwrap_or_else(|_| {
        let Answer { jsonrpc, id, error } =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        json!({"jsonrpc": jsonrpc, "id": id.get(), "error": error})
    })
}

/// Asserts that a line of the daemon is a response, a batch of them, or a notification.
#[track_caller]
fn check(line: &Value) {
    if let Value::Array(answers) = line {
        for answer in answers {
            assert!(answer.is_object(), "{line}");
            check(answer);
        }
    } else {
        assert_eq!(line["jsonrpc"], "2.0", "{line}");
        let error = &line["error"];
        let is_error = error["code"].is_i64() && error["message"].is_string() && error["data"]["kind"].is_string();
        assert!(is_error || line.get("result").is_some() || line["method"].is_string(), "{line}");
    }
}

/// Returns whether a line may be blank, a notification, or a batch of them, so that nobody answers it.
fn may_be_silent(line: &[u8]) -> bool {
    match serde_json::from_slice(line) {
        Ok(Value::Object(call)) => !call.contains_key("id"),
        Ok(Value::Array(calls)) => calls.iter().all(|call| call.get("id").is_none()),
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => false,
        Err(_) => line.trim_ascii().is_empty(),
    }
}

/// Says that it is over, also where the campaign ends by a failure.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn all_tasks(connection: &mut Connection) -> Value {
    let mut tasks = connection.call("task.list", json!({"all": true}))["tasks"].take();
    // How it is now, not how far away that is.
    tasks.as_array_mut().expect("an array").retain(|task| task["number"].as_u64() <= Some(20));
    tasks
}

/// Asks as an honest client until it is over; returns how long each answer took, in ms.
fn ask_until(is_over: &AtomicBool, socket: &Path) -> Vec<f64> {
    let mut client = Client::connect(socket).expect("it listens");
    let mut took = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let number = 1 + took.len() as u64 % 20;
        took.push(micros(|| drop(client.call(&Get { task: number.into() }).expect("the task"))) / 1000.0);
        took.push(micros(|| drop(client.call(&List::default()).expect("the tasks"))) / 1000.0);
    }
    took
}

#[test]
fn bad_frames_hurt_nobody() {
    let count = std::env::var("KEIKO_BAD_FRAMES").map_or(FRAMES, |count| count.parse().expect("a number"));
    let home = Home::new();
    let daemon = home.start();
    let socket = home.socket();
    let mut connection = home.connect();
    for number in 0..20 {
        connection.call("task.add", json!({"title": format!("task {number}"), "at": "tomorrow 9am", "tags": ["kept"]}));
    }
    let before = all_tasks(&mut connection);
    assert_eq!(before.as_array().map(Vec::len), Some(20));
    let document = connection.call("rpc.discover", json!({}));
    let names = |list: &Value| -> Vec<String> {
        let list = list.as_array().expect("an array");
        list.iter().map(|each| each["name"].as_str().expect("a name").to_owned()).collect()
    };
    let methods = document["methods"].as_array().expect("an array");
    let methods =
        methods.iter().map(|each| (each["name"].as_str().expect("a name").to_owned(), names(&each["params"])));
    let mut maker = Maker { random: Random(0x6b65_696b), methods: methods.collect() };

    let is_over = AtomicBool::new(false);
    let memory = || to_f64(status_field(daemon.pid(), "VmRSS:")) / 1024.0;
    let (answered, warm, mut took) = std::thread::scope(|scope| {
        let honest = scope.spawn(|| ask_until(&is_over, &socket));
        let over = Over(&is_over);
        let mut caller = Caller::new(&socket);
        let mut warm = 0.0;
        for number in 0..count {
            if number == count / 10 {
                warm = memory();
            }
            caller.send(maker.next());
        }
        drop(over);
        (caller.answered, warm, honest.join().expect("no panic"))
    });
    let (p50, p99) = (quantile(&mut took, 0.5), quantile(&mut took, 0.99));
    let grown = memory() - warm;
    tell("bad frames", to_f64(count as u64), &format!("{answered} answers"));
    tell("resident memory of the daemon after a tenth of them, MiB", warm, "");
    tell("how much it grew by the end, MiB", grown, &format!("bound {GROWTH_MAX}"));
    tell("another client's get and list meanwhile p50, ms", p50, &format!("of {}", took.len()));
    tell("another client's get and list meanwhile p99, ms", p99, &format!("bound {ANSWER_MAX}"));
    assert!(grown < GROWTH_MAX, "the daemon grew by {grown} MiB");
    assert!(p99 < ANSWER_MAX, "others waited {p99} ms");
    assert_eq!(connection.call("daemon.status", json!({}))["pid"], daemon.pid());
    assert_eq!(all_tasks(&mut connection), before, "no stored task was touched");
}

/// What the fuzz targets do, with what this campaign sends.
#[test]
fn the_bodies_of_the_fuzz_targets_take_seeded_input() {
    let methods = [("task.add", "text at every zone tags alerts"), ("task.update", "task version title link metadata")];
    let methods = methods.map(|(method, names)| (method.to_owned(), names.split(' ').map(str::to_owned).collect()));
    let mut maker = Maker { random: Random(7), methods: methods.to_vec() };
    for _ in 0..FRAMES {
        let mut bytes = vec![maker.byte()];
        match maker.next() {
            Bad::Line(line) | Bad::CutOff(line) | Bad::HalfClosed(line) => bytes.extend(line),
            Bad::Heap(lines) => bytes.extend(lines.join(&b'\n')),
        }
        bytes.push(b'\n');
        frame::frame(&bytes);
    }
    let words =
        "every other next friday in the at 9am 13:61 2/30 今天 下午三点 每 tomorrow -5 99999999 months until UTC";
    let words: Vec<&str> = words.split(' ').collect();
    for _ in 0..FRAMES {
        let mut bytes = vec![maker.byte(), maker.byte()];
        for _ in 0..maker.random.below(8) {
            bytes.extend_from_slice(words[maker.one_of(&words)].as_bytes());
            bytes.push(if maker.random.chance(90) { b' ' } else { maker.byte() });
        }
        sentence::sentence(&bytes);
    }
}
