//! Deliveries and requests: the outbox and what makes a repeated call harmless.

use uuid::Uuid;

use crate::domain::breaker::{Breaker, TargetHealth};
use crate::domain::delivery::{ChannelKind, Delivery, DeliveryId, DeliveryStatus, StatusName, Target};
use crate::domain::message::Reason;
use crate::domain::occurrence::{FireId, OccurrenceName};
use crate::domain::outbox::{DeliveryFilter, Statuses};
use crate::domain::task::Task;
use crate::store::conformance::Fixture;
use crate::store::conformance::samples::{add_tasks, at, delivery, everything, key, task, task_id};
use crate::store::{Change, RequestSeen, Store, StoreError};

fn statuses() -> [DeliveryStatus; 9] {
    [
        DeliveryStatus::Queued,
        DeliveryStatus::Waiting,
        DeliveryStatus::Held,
        DeliveryStatus::Grouped,
        DeliveryStatus::Quiet,
        DeliveryStatus::Retrying(at(11)),
        DeliveryStatus::Delivered(at(12)),
        DeliveryStatus::Failed(at(13)),
        DeliveryStatus::Withdrawn(at(14)),
    ]
}

fn deliveries_of(task: &Task) -> Vec<Delivery> {
    // Ids that fall as the order grows: the order is that of writing.
    (0..).zip(statuses()).map(|(index, status)| delivery(100 - index, task, status)).collect()
}

fn writing(deliveries: &[Delivery]) -> Change {
    Change { deliveries: deliveries.to_vec(), ..Change::default() }
}

pub(crate) async fn a_delivery_reads_back_in_every_status<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let task = add_tasks(store, 1).await.remove(0).task;
    let mut deliveries = deliveries_of(&task);
    let mut bare = delivery(100, &task, DeliveryStatus::Queued);
    bare.id.target = Target { address: "pts/3".into(), ..Target::terminal() };
    bare.message.link = None;
    bare.last_error = None;
    bare.occasion.due = None;
    bare.frozen = None;
    bare.expires_at = None;
    bare.digest = None;
    deliveries.push(bare);
    store.commit(writing(&deliveries)).await.unwrap();
    for delivery in &deliveries {
        assert_eq!(store.delivery(&delivery.id).unwrap().as_ref(), Some(delivery));
    }
    assert_eq!(store.deliveries(task.id, None).unwrap(), deliveries);
    assert_eq!(store.delivery(&delivery(1, &task, DeliveryStatus::Queued).id).unwrap(), None);
}

pub(crate) async fn a_changed_delivery_keeps_its_place<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let task = add_tasks(store, 1).await.remove(0).task;
    let mut deliveries = deliveries_of(&task);
    store.commit(writing(&deliveries)).await.unwrap();
    deliveries[0] =
        Delivery { status: DeliveryStatus::Delivered(at(99)), attempts: 9, last_error: None, ..deliveries[0].clone() };
    store.commit(writing(&deliveries[..1])).await.unwrap();
    assert_eq!(store.deliveries(task.id, None).unwrap(), deliveries);
}

pub(crate) async fn the_outbox_holds_what_is_not_final<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let task = add_tasks(store, 1).await.remove(0).task;
    let deliveries = deliveries_of(&task);
    store.commit(writing(&deliveries)).await.unwrap();
    assert_eq!(store.outbox().unwrap(), deliveries[..6]);
    assert_eq!(store.counts().unwrap().outbox, 6);
}

pub(crate) async fn what_failed_for_good_is_found_latest_first<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let task = add_tasks(store, 1).await.remove(0).task;
    let of = |fire_id, millis| delivery(fire_id, &task, DeliveryStatus::Failed(at(millis)));
    let failed = [of(9, 300), of(8, 100), of(7, 200), of(6, 200)];
    store.commit(writing(&failed)).await.unwrap();
    let elsewhere = delivery(5, &task, DeliveryStatus::Delivered(at(400)));
    let id = DeliveryId { target: Target { address: "pts/3".into(), ..Target::terminal() }, ..elsewhere.id.clone() };
    store.commit(writing(&[Delivery { id, ..elsewhere }])).await.unwrap();
    let latest = [&failed[0], &failed[3], &failed[2], &failed[1]].map(Clone::clone);
    assert_eq!(store.failed_since(at(0), 9).unwrap(), (4, latest.to_vec()));
    assert_eq!(store.failed_since(at(200), 2).unwrap(), (3, latest[..2].to_vec()));
    assert_eq!(store.failed_since(at(301), 9).unwrap(), (0, Vec::new()));
    store.commit(writing(&[delivery(9, &task, DeliveryStatus::Queued)])).await.unwrap();
    assert_eq!(store.failed_since(at(300), 9).unwrap(), (0, Vec::new()), "it is tried again");
}

pub(crate) async fn what_failed_is_made_up_for_by_what_was_delivered_there_later<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let task = add_tasks(store, 1).await.remove(0).task;
    let failed = delivery(9, &task, DeliveryStatus::Failed(at(300)));
    let before = delivery(8, &task, DeliveryStatus::Delivered(at(100)));
    let of_another_time = Delivery {
        occurrence: OccurrenceName { generation: 2, ..failed.occurrence },
        ..delivery(7, &task, DeliveryStatus::Delivered(at(400)))
    };
    store.commit(writing(&[before, failed.clone(), of_another_time])).await.unwrap();
    assert_eq!(store.failed_since(at(0), 9).unwrap(), (1, vec![failed]), "others do not speak for it");
    store.commit(writing(&[delivery(6, &task, DeliveryStatus::Delivered(at(500)))])).await.unwrap();
    assert_eq!(store.failed_since(at(0), 9).unwrap(), (0, Vec::new()));
}

pub(crate) async fn what_is_held_is_found_by_its_target<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let task = add_tasks(store, 1).await.remove(0).task;
    let webhook = |address: &str| Target { kind: ChannelKind::Webhook, address: address.into() };
    let of = |fire_id, address, status| {
        let mut delivery = delivery(fire_id, &task, status);
        delivery.id.target = webhook(address);
        delivery
    };
    let held = DeliveryStatus::Held;
    let all = [of(9, "a", held), of(8, "b", held), of(7, "a", DeliveryStatus::Queued), of(6, "a", held)];
    store.commit(writing(&all)).await.unwrap();
    let of_a = [all[0].clone(), all[3].clone()];
    assert_eq!(store.held(&webhook("a"), 9).unwrap(), of_a);
    assert_eq!(store.held(&webhook("a"), 1).unwrap(), of_a[..1]);
    assert_eq!(store.held(&webhook("c"), 9).unwrap(), []);
    assert_eq!(store.counts().unwrap().held, 3);
    store.commit(writing(&[of(9, "a", DeliveryStatus::Queued)])).await.unwrap();
    assert_eq!(store.held(&webhook("a"), 9).unwrap(), of_a[1..]);
}

fn to(fire_id: u128, task: &Task, address: &str, status: DeliveryStatus) -> Delivery {
    let mut delivery = delivery(fire_id, task, status);
    delivery.id.target = Target { kind: ChannelKind::Webhook, address: address.into() };
    delivery
}

pub(crate) async fn deliveries_page_by_task_target_channel_and_status<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let tasks: Vec<Task> = add_tasks(store, 2).await.into_iter().map(|snapshot| snapshot.task).collect();
    let mut all = Vec::new();
    for (number, status) in (0..).zip(statuses().into_iter().cycle().take(42)) {
        let address = if number % 3 == 0 { "a" } else { "b" };
        let task = &tasks[usize::from(number % 2 == 0)];
        all.push(if number % 5 == 0 {
            delivery(100 - number, task, status)
        } else {
            to(100 - number, task, address, status)
        });
    }
    store.commit(writing(&all)).await.unwrap();
    let webhook = |address: &str| Target { kind: ChannelKind::Webhook, address: address.into() };
    let mut filters = Vec::new();
    for task in [None, Some(tasks[0].id), Some(task_id(9))] {
        for kind in [None, Some(ChannelKind::Webhook)] {
            for target in [None, Some(webhook("a")), Some(Target::desktop()), Some(webhook("c"))] {
                let one = StatusName::ALL.map(Statuses::One);
                for statuses in [Statuses::Open, Statuses::All].into_iter().chain(one) {
                    filters.push(DeliveryFilter { task, kind, target: target.clone(), statuses });
                }
            }
        }
    }
    for filter in &filters {
        let expected: Vec<&Delivery> = all.iter().filter(|delivery| filter.is_met_by(delivery)).collect();
        let mut found = Vec::new();
        let mut after = 0;
        loop {
            let page = store.deliveries_after(filter, after, 2).unwrap();
            assert!(page.len() <= 2 && page.iter().all(|(place, _)| *place > after), "{filter:?}");
            let Some((last, _)) = page.last() else { break };
            after = *last;
            found.extend(page.into_iter().map(|(_, delivery)| delivery));
        }
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{filter:?}");
    }
}

pub(crate) async fn what_is_not_final_is_counted_by_target_and_status<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let task = add_tasks(store, 1).await.remove(0).task;
    assert_eq!(store.counts_by_target().unwrap(), []);
    let all: Vec<Delivery> = (0..)
        .zip(statuses())
        .flat_map(|(number, status)| [to(number, &task, "b", status), to(100 + number, &task, "a", status)])
        .chain([to(200, &task, "a", DeliveryStatus::Held)])
        .collect();
    store.commit(writing(&all)).await.unwrap();
    let told: Vec<(String, &str, u64)> = store
        .counts_by_target()
        .unwrap()
        .into_iter()
        .map(|counted| (counted.target.to_string(), counted.status.as_str(), counted.count))
        .collect();
    let expected = [("queued", 1), ("waiting", 1), ("held", 2), ("grouped", 1), ("quiet", 1), ("retrying", 1)]
        .map(|(status, count)| ("a", status, count));
    let of_b = ["queued", "waiting", "held", "grouped", "quiet", "retrying"].map(|status| ("b", status, 1));
    let expected = expected.into_iter().chain(of_b);
    let expected: Vec<_> =
        expected.map(|(address, status, count)| (format!("webhook:{address}"), status, count)).collect();
    assert_eq!(told, expected);
}

pub(crate) async fn a_target_reads_back_with_every_breaker<F: Fixture>() {
    let fixture = F::open();
    let breakers = [
        Breaker::Closed,
        Breaker::Open { since: at(1), probe_at: at(2), probes: 3 },
        Breaker::Paused { since: at(4) },
        Breaker::Releasing { next_at: at(5) },
    ];
    let health = |(failures, breaker): (u32, Breaker)| TargetHealth {
        target: Target { kind: ChannelKind::Webhook, address: format!("https://example.org/{failures}") },
        failures,
        breaker,
        last_error: (failures > 0).then(|| format!("不行 {failures}")),
    };
    let targets: Vec<TargetHealth> = (0..).zip(breakers).map(health).collect();
    let writing = |targets: &[TargetHealth]| Change { targets: targets.to_vec(), ..Change::default() };
    fixture.store().commit(writing(&targets)).await.unwrap();
    assert_eq!(fixture.store().targets().unwrap(), targets);
    let healed = TargetHealth { failures: 0, breaker: Breaker::Closed, ..targets[1].clone() };
    fixture.store().commit(writing(std::slice::from_ref(&healed))).await.unwrap();
    let fixture = fixture.reopen();
    assert_eq!(
        fixture.store().targets().unwrap(),
        [targets[0].clone(), healed, targets[2].clone(), targets[3].clone()]
    );
}

pub(crate) async fn deliveries_are_found_by_their_firings<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let snapshots = add_tasks(store, 2).await;
    let of = |fire_id, number: usize| delivery(fire_id, &snapshots[number].task, DeliveryStatus::Queued);
    let all = [of(5, 0), of(4, 0), of(3, 1)];
    store.commit(writing(&all)).await.unwrap();
    let firing = |number: usize| all[number].id.fire_id;
    assert_eq!(store.deliveries_of(&[firing(2), firing(0)]).unwrap(), [all[2].clone(), all[0].clone()]);
    assert_eq!(store.deliveries_of(&[]).unwrap(), []);
    assert_eq!(store.deliveries_of(&[FireId(Uuid::nil())]).unwrap(), []);
}

pub(crate) async fn deliveries_are_of_a_task_or_of_one_occurrence<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let snapshots = add_tasks(store, 2).await;
    let of = |fire_id, task: &Task, day, generation| Delivery {
        occurrence: OccurrenceName { key: key(day), generation },
        ..delivery(fire_id, task, DeliveryStatus::Queued)
    };
    let (first, second) = (&snapshots[0].task, &snapshots[1].task);
    let all = [of(5, first, 13, 1), of(4, first, 13, 2), of(3, second, 13, 1), of(2, first, 14, 1)];
    store.commit(writing(&all)).await.unwrap();
    let name = |day, generation| Some(OccurrenceName { key: key(day), generation });
    let found = |task: &Task, name| store.deliveries(task.id, name).unwrap();
    assert_eq!(found(first, None), [all[0].clone(), all[1].clone(), all[3].clone()]);
    assert_eq!(found(first, name(13, 1)), [all[0].clone()]);
    assert_eq!(found(first, name(13, 2)), [all[1].clone()]);
    assert_eq!(found(second, name(13, 1)), [all[2].clone()]);
    assert_eq!(found(second, name(14, 1)), []);
}

pub(crate) async fn a_delivery_of_no_task_is_refused<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    add_tasks(store, 1).await;
    let before = everything(store);
    let error = store.commit(writing(&deliveries_of(&task(2, 1)))).await.unwrap_err();
    assert!(matches!(error, StoreError::Broken { .. }), "{error}");
    assert_eq!(everything(store), before);
}

fn request(key: &str) -> RequestSeen {
    RequestSeen { key: key.to_owned(), method: "task.add".into(), task: task_id(1), at: at(1_234) }
}

pub(crate) async fn a_request_reads_back_by_its_key<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let requests = vec![request("a"), request("键 🔑")];
    store.commit(Change { requests: requests.clone(), ..Change::default() }).await.unwrap();
    assert_eq!(store.request("a").unwrap().as_ref(), Some(&requests[0]));
    assert_eq!(store.request("键 🔑").unwrap().as_ref(), Some(&requests[1]));
    assert_eq!(store.request("A").unwrap(), None);
}

pub(crate) async fn a_request_key_is_committed_once<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let once = || Change { requests: vec![request("a")], ..Change::default() };
    store.commit(once()).await.unwrap();
    let again = Change { zone: Some("UTC".into()), ..once() };
    let error = store.commit(again).await.unwrap_err();
    assert!(matches!(error, StoreError::Broken { .. }), "{error}");
    assert_eq!(store.identity().unwrap().zone, None);
}

pub(crate) async fn a_digest_is_of_no_task_and_finds_what_it_tells<F: Fixture>() {
    let fixture = F::open();
    let store = fixture.store();
    let task = add_tasks(store, 1).await.remove(0).task;
    let digest_of = |fire_id, address: &str| {
        let mut digest = to(fire_id, &task, address, DeliveryStatus::Queued);
        digest.task = task_id(99);
        digest.occasion.reason = Reason::Digest;
        digest.digest = None;
        digest
    };
    let (one, other) = (digest_of(50, "a"), digest_of(50, "b"));
    let told = |fire_id, address: &str, status| {
        let mut told = to(fire_id, &task, address, status);
        told.digest = Some(FireId(Uuid::from_u128(50)));
        told
    };
    let of_one = [told(9, "a", DeliveryStatus::Grouped), told(3, "a", DeliveryStatus::Withdrawn(at(5)))];
    let of_other = [told(9, "b", DeliveryStatus::Grouped)];
    let rest = [to(4, &task, "a", DeliveryStatus::Grouped)];
    let all = [&of_one[..], &of_other, &rest, &[one.clone(), other.clone()]].concat();
    store.commit(writing(&all)).await.unwrap();
    assert_eq!(store.members(&one.id).unwrap(), of_one);
    assert_eq!(store.members(&other.id).unwrap(), of_other);
    assert_eq!(store.members(&rest[0].id).unwrap(), []);
    assert_eq!(store.delivery(&one.id).unwrap().as_ref(), Some(&one));
    assert_eq!(store.outbox().unwrap().len(), 5);
}
