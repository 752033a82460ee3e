//! The network of Linux: one route-netlink socket that the kernel writes to when a link, an address or a route changes.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};

use futures_util::future::BoxFuture;
use rustix::io::Errno;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with};
use tokio::io::unix::AsyncFd;

use crate::notify::network::Network;

/// Links, IPv4 addresses, and routes of both kinds (`RTMGRP_*` of `linux/rtnetlink.h`). Not IPv6 addresses: routers
/// renew those every few minutes, and a new one comes with a route.
const GROUPS: u32 = 0x1 | 0x10 | 0x40 | 0x400;

/// The kinds of messages that may mean a way out (`RTM_*` of `linux/rtnetlink.h`).
const NEW_LINK: u16 = 16;
const NEW_ADDRESS: u16 = 20;
const NEW_ROUTE: u16 = 24;

/// Flags of a link (`IFF_*` of `linux/if.h`).
const IS_LOOPBACK: u32 = 0x8;
const IS_RUNNING: u32 = 0x40;

/// The length of a message's header, and of what it is padded to.
const HEADER_BYTES: usize = 16;
const ALIGNED_TO: usize = 4;

/// Room for one read: the kernel writes at most a page or 8 KiB at once.
const BUFFER_BYTES: usize = 16 * 1024;

/// The network of this machine.
#[derive(Debug)]
pub struct SystemNetwork {
    /// `None` where the system gave no socket: then nothing is heard, and the back-off decides.
    socket: Option<AsyncFd<OwnedFd>>,
    links: Mutex<Links>,
}

/// Which links are running, as far as has been heard.
type Links = HashMap<u32, bool>;

impl SystemNetwork {
    /// Begins to listen.
    #[must_use]
    pub fn listen() -> Self {
        let socket = open().inspect_err(|error| tracing::warn!(%error, "cannot hear of changes of the network")).ok();
        Self { socket, links: Mutex::default() }
    }

    async fn hear(&self) {
        let Some(socket) = &self.socket else { return std::future::pending().await };
        let mut buffer = vec![0; BUFFER_BYTES];
        loop {
            let Ok(mut ready) = socket.readable().await else { return std::future::pending().await };
            match rustix::io::read(socket.get_ref(), &mut buffer[..]) {
                Ok(count) => {
                    let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
                    if is_way_out(&buffer[..count], &mut links) {
                        return;
                    }
                }
                Err(Errno::WOULDBLOCK) => ready.clear_ready(),
                Err(Errno::INTR) => {}
                // Messages were lost: one of them may have been the one.
                Err(Errno::NOBUFS) => return,
                Err(error) => {
                    tracing::warn!(%error, "cannot hear of changes of the network any more");
                    return std::future::pending().await;
                }
            }
        }
    }
}

impl Network for SystemNetwork {
    fn came_back(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.hear())
    }
}

#[expect(
    deprecated,
    reason = "an OwnedFd keeps its descriptor, which this constructor cannot require of every type; the new one is unsafe"
)]
fn open() -> io::Result<AsyncFd<OwnedFd>> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    // No protocol is that of routes.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
    bind(&socket, &SocketAddrNetlink::new(0, GROUPS))?;
    AsyncFd::new(socket)
}

/// Returns whether any message tells of a way out that was not there. What cannot be read is passed over.
fn is_way_out(mut bytes: &[u8], links: &mut Links) -> bool {
    let mut is_one = false;
    while let Some(length) = number(bytes, 0).and_then(|length| usize::try_from(length).ok()) {
        if length < HEADER_BYTES || length > bytes.len() {
            break;
        }
        is_one |= tells_of_way_out(&bytes[..length], links);
        bytes = bytes.get(length.next_multiple_of(ALIGNED_TO)..).unwrap_or_default();
    }
    is_one
}

fn tells_of_way_out(message: &[u8], links: &mut Links) -> bool {
    let kind = message.get(4..6).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes);
    match kind {
        Some(NEW_LINK) => {
            // struct ifinfomsg: family, padding, type, index, flags.
            let (Some(index), Some(flags)) = (number(message, 20), number(message, 24)) else { return false };
            let is_running = flags & IS_RUNNING != 0;
            let was_running = links.insert(index, is_running);
            // Of a link that was there before nothing is known yet; it tells of much else than its end.
            is_running && flags & IS_LOOPBACK == 0 && was_running == Some(false)
        }
        Some(NEW_ADDRESS) => true,
        // struct rtmsg: family, bits of the destination; none of them: the way to everywhere.
        Some(NEW_ROUTE) => message.get(17) == Some(&0),
        Some(_) | None => false,
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::process::Command;

    use proptest::prelude::*;

    fn message(kind: u16, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(HEADER_BYTES + body.len()).unwrap();
        let mut bytes = [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), &[0; 10], body].concat();
        bytes.resize(bytes.len().next_multiple_of(ALIGNED_TO), 0);
        bytes
    }

    fn link(index: u32, flags: u32) -> Vec<u8> {
        message(NEW_LINK, &[&[0; 4][..], &index.to_ne_bytes(), &flags.to_ne_bytes(), &[0; 4]].concat())
    }

    #[test]
    fn a_link_that_runs_again_an_address_and_a_way_to_everywhere_are_told() {
        let mut links = Links::new();
        let mut check = |bytes: &[u8], expected: bool| assert_eq!(is_way_out(bytes, &mut links), expected, "{bytes:?}");
        check(&link(2, IS_RUNNING), false);
        check(&link(2, IS_RUNNING), false);
        check(&link(2, 0), false);
        check(&link(2, IS_RUNNING), true);
        check(&[link(3, 0), link(3, IS_RUNNING | IS_LOOPBACK)].concat(), false);
        check(&message(NEW_ADDRESS, &[2, 24, 0, 0, 2, 0, 0, 0]), true);
        check(&message(NEW_ROUTE, &[2, 0, 0, 0]), true);
        check(&message(NEW_ROUTE, &[2, 24, 0, 0]), false);
        // RTM_DELADDR: what goes is no way out.
        check(&message(21, &[2, 24, 0, 0, 2, 0, 0, 0]), false);
        check(&[message(21, &[1]), message(NEW_ROUTE, &[10, 0])].concat(), true);
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_passed_over_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            is_way_out(&bytes, &mut Links::new());
        }
    }

    /// Set where the test runs again in a network of its own.
    const INSIDE: &str = "KEIKO_TEST_INSIDE_NETWORK";

    /// Runs in a network namespace of its own, so that this machine's network stays as it is.
    #[test]
    fn a_real_address_is_told_of() {
        if std::env::var_os(INSIDE).is_some() {
            return hear_of_a_dummy();
        }
        let name = "notify::network::netlink::tests::a_real_address_is_told_of";
        let itself = std::env::current_exe().unwrap();
        let mut again = Command::new("unshare");
        again.args(["--user", "--map-root-user", "--net"]).arg(itself).args(["--exact", name]).env(INSIDE, "1");
        let can_be = Command::new("unshare")
            .args(["--user", "--map-root-user", "--net", "ip", "link", "add", "a", "type", "veth"])
            .output();
        if can_be.is_ok_and(|output| output.status.success()) {
            let output = again.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        } else {
            println!("not tried: this machine gives no network of one's own");
        }
    }

    fn hear_of_a_dummy() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let network = SystemNetwork::listen();
            let ip =
                |line: &str| assert!(Command::new("ip").args(line.split(' ')).status().unwrap().success(), "{line}");
            ip("link add keiko0 type veth peer name keiko1");
            ip("link set keiko0 up");
            ip("addr add 192.0.2.1/24 dev keiko0");
            let limit = std::time::Duration::from_secs(20);
            tokio::time::timeout(limit, network.came_back()).await.expect("an address has appeared");
            ip("route add default via 192.0.2.2");
            tokio::time::timeout(limit, network.came_back()).await.expect("a way out has appeared");
        });
    }
}
