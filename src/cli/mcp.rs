//! How do assistants reach the tasks? A server of the Model Context Protocol on standard input and output, by its official SDK
//! (<https://modelcontextprotocol.io/specification>).
//!
//! The protocol is the SDK's, on a thread of its own; each tool is done on the main thread, one after another, as a command is.
//! Never prints: standard output is the protocol's alone.

use std::future::Future;
use std::io;
use std::sync::mpsc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler, ServiceExt as _};
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::mcp::tools::{Said, TOOLS};
use crate::protocol::PROGRAM_VERSION;

mod tools;

/// What assistants are told of all tools.
const INSTRUCTIONS: &str = "Keiko keeps the person's reminders and tasks. Give times in the person's own words, in English or \
    Chinese (\"tomorrow 3pm\", \"every weekday at 9:30\", \"明天下午三点\"): Keiko reads them in the person's zone, and answers with the \
    exact date, which is worth repeating to the person. parse shows what words mean without storing anything. A task is named by its \
    number. What was done by mistake is taken back with undo.";

/// A tool that is to be done.
struct Job {
    name: String,
    arguments: Map<String, Value>,
    done: oneshot::Sender<Result<Said, CliError>>,
}

/// Serves until the input ends.
///
/// # Errors
/// There are no threads.
pub(crate) fn serve(context: &mut Context<'_>) -> Result<Exit, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| CliError::Input { source })?;
    let (jobs, waiting) = mpsc::channel();
    // It ends with the input, and with it the last sender of jobs.
    let serving = std::thread::spawn(move || {
        let served = runtime.block_on(speak(Server { jobs }));
        // What reads standard input may wait for a line still.
        runtime.shutdown_background();
        served
    });
    for job in waiting {
        let Job { name, arguments, done } = job;
        // A new connection each time: the daemon may have been restarted since.
        context.hang_up();
        // An assistant that gave the call up wants no answer.
        let _ = done.send(tools::call(context, &name, arguments));
    }
    match serving.join() {
        Ok(Ok(())) => Ok(Exit::Done),
        Ok(Err(source)) => Err(CliError::Input { source }),
        Err(_) => Ok(Exit::Failure),
    }
}

async fn speak(server: Server) -> io::Result<()> {
    match server.serve(rmcp::transport::stdio()).await {
        // Until the input ends, or the protocol is broken off.
        Ok(running) => running.waiting().await.map(|_| ()).map_err(io::Error::other),
        // Whoever says nothing at all wanted nothing.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}

/// What the SDK asks.
struct Server {
    jobs: mpsc::Sender<Job>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info = ServerConfig::new(capabilities).with_instructions(INSTRUCTIONS);
        info.server_info = Implementation::new("keiko", PROGRAM_VERSION).with_title("Keiko");
        info
    }

    fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + Send + '_ {
        std::future::ready(Ok(ListToolsResult::with_all_items(TOOLS.iter().map(tools::described).collect())))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        TOOLS.iter().find(|tool| tool.name == name).map(tools::described)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !TOOLS.iter().any(|tool| tool.name == request.name) {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            let message = format!("there is no tool {:?}, expected one of {}", request.name, known.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        }
        let (done, answer) = oneshot::channel();
        let job = Job { name: request.name.into_owned(), arguments: request.arguments.unwrap_or_default(), done };
        let gone = || ErrorData::internal_error("keiko is about to end", None);
        self.jobs.send(job).map_err(|_| gone())?;
        Ok(told(answer.await.map_err(|_| gone())?).into())
    }
}

/// Returns what came of a tool, or why nothing did, as text and as JSON.
fn told(said: Result<Said, CliError>) -> CallToolResult {
    match said {
        Ok(Said { text, value }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(value);
            result
        }
        Err(error) => {
            let hint = error.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
            let mut result = CallToolResult::error(vec![ContentBlock::text(format!("error: {error}{hint}"))]);
            result.structured_content = Some(json!({ "error": error.to_json()["error"] }));
            result
        }
    }
}
