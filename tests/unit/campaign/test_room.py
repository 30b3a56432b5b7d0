import threading

from netopsbench.campaign.room import Place, Room, place_of, workers_for
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec

SMALL = Place(memory_mib=500, cores=1)
NEVER = threading.Event()


def test_workers_are_as_many_as_memory_and_cores_allow():
    assert workers_for([SMALL] * 100, Place(memory_mib=10_000, cores=4)) == 4
    assert workers_for([SMALL] * 100, Place(memory_mib=1_600, cores=64)) == 3
    assert workers_for([SMALL] * 2, Place(memory_mib=10_000, cores=64)) == 2


def test_a_machine_that_is_too_small_still_gets_one_worker():
    assert workers_for([SMALL] * 5, Place(memory_mib=100, cores=0.5)) == 1
    assert workers_for([], SMALL) == 1


def test_two_small_fabrics_fit_on_two_cores_and_a_large_one_takes_them_all():
    machine = Place(memory_mib=12_000, cores=2)
    assert workers_for([place_of(plan_fabric(load_spec("xs")))] * 9, machine) == 2
    assert workers_for([place_of(plan_fabric(load_spec("fat-tree-k8")))] * 9, machine) == 1


def entering(room: Room, place: Place, *, alone: bool = False) -> tuple[threading.Thread, threading.Event]:
    """A thread that waits for a place, and the event that it has one."""
    is_in = threading.Event()

    def wait() -> None:
        with room.taken(place, NEVER, alone=alone):
            is_in.set()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread, is_in


def test_a_trial_waits_until_there_is_room_for_it():
    room = Room(Place(memory_mib=900, cores=8))
    with room.taken(SMALL, NEVER):
        thread, is_in = entering(room, SMALL)
        thread.join(0.2)
        assert not is_in.is_set()
    thread.join(10)
    assert is_in.is_set()


def test_a_trial_that_fits_nowhere_runs_when_nobody_else_does():
    room = Room(SMALL)
    with room.taken(Place(memory_mib=90_000, cores=90), NEVER) as is_in:
        assert is_in


def test_who_wants_to_be_alone_waits_for_all_and_lets_nobody_pass():
    room = Room(Place(memory_mib=9_000, cores=8))
    with room.taken(SMALL, NEVER):
        alone, is_alone = entering(room, SMALL, alone=True)
        alone.join(0.2)
        late, is_late = entering(room, SMALL)
        late.join(0.2)
        assert not is_alone.is_set()
        assert not is_late.is_set()
    alone.join(10)
    late.join(10)
    assert is_alone.is_set()
    assert is_late.is_set()


def test_waiting_ends_without_a_place_when_the_run_stops():
    stop = threading.Event()
    stop.set()
    with Room(SMALL).taken(SMALL, stop) as is_in:
        assert not is_in
