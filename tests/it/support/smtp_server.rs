//! A mail server that does as it is told: takes mail, refuses it, asks for a password, hangs. It keeps what it was sent.
//!
//! It speaks as much of RFC 5321 as a client that hands mail over needs, AUTH PLAIN and LOGIN (RFC 4954) and STARTTLS (RFC 3207).

use std::future::pending;
use std::io;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;

use crate::support::tls::tls;

/// What is done with a line of the client, or with the end of a mail, which is the line `.`.
#[derive(Clone, Debug)]
pub(crate) enum Do {
    /// What a server does.
    Usual,
    /// This answer, and nothing follows of the line.
    Say(String),
    /// Nothing, on an open connection.
    Hang,
    /// The end of the connection.
    HangUp,
}

impl Do {
    /// Returns an answer.
    pub(crate) fn say(line: &str) -> Self {
        Self::Say(line.to_owned())
    }
}

/// A mail that was taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mail {
    /// The sender of the envelope.
    pub(crate) from: String,
    /// Those of the envelope who are to get it.
    pub(crate) to: Vec<String>,
    /// The message, its dots undone.
    pub(crate) text: String,
    /// Whether the line was secure.
    pub(crate) is_secure: bool,
}

impl Mail {
    /// Returns a header, unfolded; empty where there is none.
    pub(crate) fn header(&self, name: &str) -> String {
        let head = self.text.split("\r\n\r\n").next().unwrap_or_default().replace("\r\n ", " ");
        let of_name = |line: &str| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then(|| value.to_owned())
        };
        head.split("\r\n").find_map(of_name).unwrap_or_default()
    }

    /// Returns the names of all headers.
    pub(crate) fn header_names(&self) -> Vec<String> {
        let head = self.text.split("\r\n\r\n").next().unwrap_or_default().replace("\r\n ", " ");
        head.split("\r\n").filter_map(|line| Some(line.split_once(':')?.0.to_owned())).collect()
    }

    /// Returns the body as it was sent.
    pub(crate) fn body(&self) -> &str {
        self.text.split_once("\r\n\r\n").map_or("", |(_, body)| body)
    }
}

type Script = Arc<dyn Fn(&str, usize) -> Do + Send + Sync>;

/// A server on the loopback; gone with this value.
pub(crate) struct SmtpServer {
    port: u16,
    seen: watch::Sender<Seen>,
    accepting: AbortHandle,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    mails: Vec<Mail>,
    lines: Vec<String>,
    connections: usize,
}

/// How the line is kept from being read.
#[derive(Clone)]
enum Line {
    Open,
    Tls(TlsAcceptor),
    StartTls(TlsAcceptor),
}

impl SmtpServer {
    /// Starts a server without TLS; the script is given each line and the number of such lines (by their first word) before
    /// it.
    pub(crate) async fn start(script: impl Fn(&str, usize) -> Do + Send + Sync + 'static) -> Self {
        Self::serve(Arc::new(script), Line::Open).await
    }

    /// Starts a server for `localhost` that speaks TLS from the first byte, and returns the certificate (PEM) to trust.
    pub(crate) async fn start_tls(script: impl Fn(&str, usize) -> Do + Send + Sync + 'static) -> (Self, String) {
        let (acceptor, ca) = tls(2040);
        (Self::serve(Arc::new(script), Line::Tls(acceptor)).await, ca)
    }

    /// Starts a server for `localhost` that speaks TLS when it is asked to.
    pub(crate) async fn start_starttls(script: impl Fn(&str, usize) -> Do + Send + Sync + 'static) -> (Self, String) {
        let (acceptor, ca) = tls(2040);
        (Self::serve(Arc::new(script), Line::StartTls(acceptor)).await, ca)
    }

    async fn serve(script: Script, line: Line) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("the loopback has a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let seen = watch::Sender::new(Seen::default());
        let shared = seen.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                shared.send_modify(|seen| seen.connections += 1);
                let (line, script, seen) = (line.clone(), Arc::clone(&script), shared.clone());
                // A client that goes away in the midst is what some of the tests are about.
                tokio::spawn(async move { converse(stream, line, &script, &seen).await.ok() });
            }
        });
        Self { port, seen, accepting: accepting.abort_handle() }
    }

    /// Returns the port.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// Returns the mails that it took.
    pub(crate) fn mails(&self) -> Vec<Mail> {
        self.seen.borrow().mails.clone()
    }

    /// Returns every line that clients said outside of mails.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.seen.borrow().lines.clone()
    }

    /// Returns how many connections were made.
    pub(crate) fn connections(&self) -> usize {
        self.seen.borrow().connections
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn converse(stream: TcpStream, line: Line, script: &Script, seen: &watch::Sender<Seen>) -> io::Result<()> {
    match line {
        Line::Open => {
            let mut session = Session::new(script, seen, "");
            session.greet(BufReader::new(stream)).await.map(drop)
        }
        Line::Tls(acceptor) => {
            let mut session = Session { is_secure: true, ..Session::new(script, seen, "") };
            session.greet(BufReader::new(acceptor.accept(stream).await?)).await.map(drop)
        }
        Line::StartTls(acceptor) => {
            let mut session = Session::new(script, seen, "250-STARTTLS\r\n");
            let Some(stream) = session.greet(BufReader::new(stream)).await? else { return Ok(()) };
            let secure = acceptor.accept(stream.into_inner()).await?;
            let mut session = Session { is_secure: true, ..Session::new(script, seen, "") };
            session.talk(BufReader::new(secure)).await.map(drop)
        }
    }
}

struct Session<'a> {
    script: &'a Script,
    seen: &'a watch::Sender<Seen>,
    offers: &'static str,
    is_secure: bool,
    mail: Mail,
}

impl<'a> Session<'a> {
    fn new(script: &'a Script, seen: &'a watch::Sender<Seen>, offers: &'static str) -> Self {
        Self { script, seen, offers, is_secure: false, mail: Mail::default() }
    }

    async fn greet<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        mut stream: BufReader<S>,
    ) -> io::Result<Option<BufReader<S>>> {
        stream.write_all(b"220 mail.example ESMTP\r\n").await?;
        self.talk(stream).await
    }

    /// Talks until the client leaves, or until TLS is to begin: then the stream is given back.
    async fn talk<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        mut stream: BufReader<S>,
    ) -> io::Result<Option<BufReader<S>>> {
        loop {
            let line = read_line(&mut stream).await?;
            let answer = match self.told(&line) {
                Do::Usual => self.usual(&line),
                Do::Say(answer) => answer,
                Do::Hang => pending().await,
                Do::HangUp => return Ok(None),
            };
            stream.write_all(format!("{answer}\r\n").as_bytes()).await?;
            match line.as_str() {
                "DATA" if answer.starts_with('3') => {
                    self.mail.text = read_mail(&mut stream).await?;
                    let answer = match self.told(".") {
                        Do::Usual => {
                            let mail = Mail { is_secure: self.is_secure, ..self.mail.clone() };
                            self.seen.send_modify(|seen| seen.mails.push(mail));
                            "250 2.0.0 queued".to_owned()
                        }
                        Do::Say(answer) => answer,
                        Do::Hang => pending().await,
                        Do::HangUp => return Ok(None),
                    };
                    stream.write_all(format!("{answer}\r\n").as_bytes()).await?;
                }
                "STARTTLS" if answer.starts_with('2') => return Ok(Some(stream)),
                "QUIT" => return Ok(None),
                _ => {}
            }
        }
    }

    /// Notes a line, and returns what is to be done with it.
    fn told(&self, line: &str) -> Do {
        let word = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
        let mut before = 0;
        self.seen.send_modify(|seen| {
            before = seen.lines.iter().filter(|other| word(other) == word(line)).count();
            seen.lines.push(line.to_owned());
        });
        (self.script)(line, before)
    }

    fn usual(&mut self, line: &str) -> String {
        let address = || line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
        match line.split([' ', ':']).next().unwrap_or_default() {
            "EHLO" => format!("250-mail.example\r\n{}250-8BITMIME\r\n250 AUTH PLAIN LOGIN", self.offers),
            "AUTH" => "235 2.7.0 welcome".to_owned(),
            "MAIL" => {
                self.mail = Mail { from: address(), ..Mail::default() };
                "250 2.1.0 ok".to_owned()
            }
            "RCPT" => {
                self.mail.to.push(address());
                "250 2.1.5 ok".to_owned()
            }
            "DATA" => "354 go ahead".to_owned(),
            "STARTTLS" => "220 2.0.0 go ahead".to_owned(),
            "QUIT" => "221 2.0.0 bye".to_owned(),
            _ => "502 5.5.2 what".to_owned(),
        }
    }
}

async fn read_mail(stream: &mut BufReader<impl AsyncRead + Unpin>) -> io::Result<String> {
    let mut text = String::new();
    loop {
        let line = read_line(stream).await?;
        if line == "." {
            return Ok(text);
        }
        text.push_str(line.strip_prefix('.').unwrap_or(&line));
        text.push_str("\r\n");
    }
}

async fn read_line(stream: &mut BufReader<impl AsyncRead + Unpin>) -> io::Result<String> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
