"""Several services behind one client: over gRPC they are called in turn, as long as they say that they are well."""

from scheids_client import Scheids
from tests.service.running import running


def test_in_turn_and_past_one_that_stops() -> None:
    with running(max_batch_calls=2) as two:
        with running(max_batch_calls=3) as three:
            client = Scheids(f"grpc://{two.ready.grpc},{three.ready.grpc}")
            found = [client.get_game("whist").limits.batch_calls for _ in range(200)]
            assert set(found[100:]) == {2, 3}
        with client:
            assert {client.get_game("whist").limits.batch_calls for _ in range(50)} == {2}
