"""Full states that a view of Flip 7 can be of: the deck in any order."""

from msgspec.structs import replace

from ...game import Sampler
from ...rng import Stream
from .state import Flip7Deck, Flip7State
from .table import unseen


def sampler(view: Flip7State) -> Sampler[Flip7State]:
    """Everything lies open but the order of the deck."""
    cards = tuple(unseen(view).elements())

    def draw(stream: Stream) -> Flip7State:
        return replace(
            view,
            viewer=None,
            history=None,
            log=view.history or (),
            chance="seed",
            seed=stream.seed(),
            deck=Flip7Deck(cards=stream.shuffled(cards)) if view.shuffles else view.deck,
        )

    return Sampler(draw)
