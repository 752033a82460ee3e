//! A web server that does as it is told: answers, hangs, hangs up, lies, talks for ever. It keeps what it was sent.

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::support::soon;
use crate::support::tls::tls;

/// What was asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    /// The first line.
    pub(crate) line: String,
    /// The headers, their names in lower case.
    pub(crate) headers: http::HeaderMap,
    /// The body.
    pub(crate) body: Vec<u8>,
    /// The connection that it came on, counted from 0.
    pub(crate) connection: usize,
}

impl Request {
    /// Returns a header; empty where there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// What is done with a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// An answer with a status, further header lines and a body.
    Answer(u16, String, String),
    /// These bytes, then the end of the connection.
    Raw(String),
    /// These bytes, then nothing more on an open connection.
    Hang(String),
    /// An answer of this status whose body never ends.
    Endless(u16),
    /// These bytes, then others again and again, for ever.
    Repeat(String, String),
    /// These bytes, then one more of the same again and again, so far apart.
    Drip(String, Duration),
    /// These bytes, then the connection is torn down.
    Reset(String),
    /// What comes out of this, once it does.
    Later(Shared<BoxFuture<'static, Self>>),
    /// An answer whose body is this line, then those from a number on that are here or come, as long as the client stays.
    Lines(String, usize, watch::Receiver<Vec<String>>),
}

impl Reply {
    /// Returns an answer that is known later.
    pub(crate) fn later(reply: impl Future<Output = Self> + Send + 'static) -> Self {
        Self::Later(reply.boxed().shared())
    }

    /// Returns an answer without headers of its own.
    pub(crate) fn status(status: u16, body: &str) -> Self {
        Self::Answer(status, String::new(), body.to_owned())
    }
}

type Script = Arc<dyn Fn(&Request, usize) -> Reply + Send + Sync>;

/// A server on the loopback; gone with this value.
pub(crate) struct HttpServer {
    address: SocketAddr,
    requests: watch::Sender<Vec<Request>>,
    accepting: AbortHandle,
}

impl HttpServer {
    /// Starts a server; the script is given each request and the number of those before it.
    pub(crate) async fn start(script: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self::serve(Arc::new(script), None).await
    }

    /// Starts a server for `localhost` that speaks TLS, and returns the certificate (PEM) to trust.
    pub(crate) async fn start_tls(script: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) -> (Self, String) {
        let (acceptor, ca) = tls(2040);
        (Self::serve(Arc::new(script), Some(acceptor)).await, ca)
    }

    /// As [`HttpServer::start_tls`], with a certificate that ended long ago.
    pub(crate) async fn start_expired(
        script: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static,
    ) -> (Self, String) {
        let (acceptor, ca) = tls(2020);
        (Self::serve(Arc::new(script), Some(acceptor)).await, ca)
    }

    async fn serve(script: Script, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("the loopback has a free port");
        let address = listener.local_addr().expect("it is bound");
        let requests = watch::Sender::new(Vec::new());
        let received = requests.clone();
        let accepting = tokio::spawn(async move {
            let mut connections = 0;
            while let Ok((stream, _)) = listener.accept().await {
                let (tls, script, received, connection) =
                    (tls.clone(), Arc::clone(&script), received.clone(), connections);
                connections += 1;
                // A client that goes away in the midst is what some of the tests are about.
                tokio::spawn(async move { converse(stream, tls, &script, &received, connection).await.ok() });
            }
        });
        Self { address, requests, accepting: accepting.abort_handle() }
    }

    /// Returns the port.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the address of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns what was asked so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.borrow().clone()
    }

    /// Waits until so many requests have come.
    pub(crate) async fn received(&self, count: usize) -> Vec<Request> {
        let mut requests = self.requests.subscribe();
        let enough = requests.wait_for(|requests| requests.len() >= count);
        soon("requests", enough).await.expect("the sender lives as long as this value").clone()
    }

    /// As [`HttpServer::received`], for what is known to take at most `limit`.
    pub(crate) async fn received_within(&self, count: usize, limit: Duration) -> Vec<Request> {
        let mut requests = self.requests.subscribe();
        let enough = timeout(limit, requests.wait_for(|requests| requests.len() >= count)).await;
        enough.expect("they came in time").expect("the sender lives as long as this value").clone()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn converse(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    script: &Script,
    received: &watch::Sender<Vec<Request>>,
    connection: usize,
) -> io::Result<()> {
    if let Some(tls) = tls {
        return talk(tls.accept(stream).await?, script, received, connection).await;
    }
    // Where it is closed with nothing said before, it is a reset.
    stream.set_zero_linger()?;
    talk(stream, script, received, connection).await
}

async fn talk(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    script: &Script,
    received: &watch::Sender<Vec<Request>>,
    connection: usize,
) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let request = Request { connection, ..read_request(&mut stream).await? };
        let mut before = 0;
        received.send_modify(|all| {
            before = all.len();
            all.push(request.clone());
        });
        let mut reply = script(&request, before);
        while let Reply::Later(later) = reply {
            reply = later.await;
        }
        match reply {
            Reply::Later(_) => unreachable!("it was waited for"),
            Reply::Lines(first, from, lines) => return stream_lines(&mut stream, &first, from, lines).await,
            Reply::Answer(status, headers, body) => {
                let length = body.len();
                let answer = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n{body}");
                stream.write_all(answer.as_bytes()).await?;
            }
            Reply::Repeat(head, more) => {
                stream.write_all(head.as_bytes()).await?;
                loop {
                    stream.write_all(more.as_bytes()).await?;
                }
            }
            Reply::Drip(head, apart) => {
                stream.write_all(head.as_bytes()).await?;
                loop {
                    stream.write_all(b"x").await?;
                    let _ = timeout(apart, pending::<()>()).await;
                }
            }
            Reply::Reset(bytes) => {
                stream.write_all(bytes.as_bytes()).await?;
                stream.flush().await?;
                // Once the client has read that: a reset overtakes what is on its way.
                let _ = timeout(Duration::from_millis(50), stream.read_u8()).await;
                return Ok(());
            }
            Reply::Raw(bytes) => {
                stream.write_all(bytes.as_bytes()).await?;
                return stream.shutdown().await;
            }
            Reply::Hang(bytes) => {
                stream.write_all(bytes.as_bytes()).await?;
                // Until the client gives up.
                stream.read_u8().await?;
            }
            Reply::Endless(status) => {
                stream.write_all(format!("HTTP/1.1 {status} X\r\n\r\n").as_bytes()).await?;
                loop {
                    stream.write_all(&[b'x'; 4096]).await?;
                }
            }
        }
    }
}

async fn stream_lines(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    first: &str,
    from: usize,
    mut lines: watch::Receiver<Vec<String>>,
) -> io::Result<()> {
    stream.write_all(format!("HTTP/1.1 200 X\r\n\r\n{first}\n").as_bytes()).await?;
    let mut written = from;
    loop {
        let all = lines.borrow_and_update().clone();
        for line in all.get(written..).unwrap_or_default() {
            stream.write_all(format!("{line}\n").as_bytes()).await?;
        }
        stream.flush().await?;
        written = written.max(all.len());
        tokio::select! {
            changed = lines.changed() => if changed.is_err() { return Ok(()) },
            // The client has nothing more to say, so that is its end.
            _ = stream.read_u8() => return Ok(()),
        }
    }
}

async fn read_request(stream: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Request> {
    let mut request = Request { line: read_line(stream).await?, ..Request::default() };
    if request.line.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    loop {
        let line = read_line(stream).await?;
        let Some((name, value)) = line.split_once(": ") else { break };
        let name = http::HeaderName::from_bytes(name.as_bytes()).expect("a client sends names");
        request.headers.append(name, http::HeaderValue::from_str(value).expect("a client sends values"));
    }
    // A question has no body.
    let length = request.header("content-length").parse().unwrap_or_default();
    request.body = vec![0; length];
    stream.read_exact(&mut request.body).await?;
    Ok(request)
}

async fn read_line(stream: &mut (impl AsyncBufRead + Unpin)) -> io::Result<String> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    Ok(line.trim_end().to_owned())
}
