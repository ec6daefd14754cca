"""Files of recorded rounds made up for tests: dealt by plain rules, paid by plain rules.

Nothing here asks the product, so what was planted can be compared with what it finds.
"""

import csv
import datetime
import io
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

COLUMNS = (
    "coup",
    "shoe",
    "table",
    "seat",
    "occurred_at",
    "player_cards",
    "banker_cards",
    "winner",
    "player_points",
    "banker_points",
    "winning_wagers",
    "wager",
    "stake",
    "paid",
)
SUBMISSION = """
schema = "ladderman.rules-submission/1"
id = "RS-BENCH"
game = "minibaccarat"
commission = { form = "standard" }

[[wagers]]
id = "minibaccarat.player"
minimum = "5.00"
maximum = "5000.00"

[[wagers]]
id = "minibaccarat.banker"
minimum = "5.00"
maximum = "5000.00"

[[wagers]]
id = "minibaccarat.tie"

[[wagers]]
id = "golden_talons"
paytable = "B"

[[wagers]]
id = "eclipse.sun_7"
paytable = "A"
"""
MAPPING = """
[winning_wagers]
player = "minibaccarat.player"
banker = "minibaccarat.banker"
tie = "minibaccarat.tie"
player_pair = "house.player_pair"
banker_pair = "house.banker_pair"
small = "house.small"
big = "house.big"
perfect_pair = "house.perfect_pair"
"""
VALUES = {rank: min(number, 10) % 10 for number, rank in enumerate("A23456789TJQK", 1)}
SHOE_COUPS = 60
TALONS_B = {9: 20, 8: 10, 7: 5, 6: 4, 5: 2, 4: 1}


@dataclass(frozen=True)
class Dealt:
    """One coup, dealt by the rules."""

    player: list[str]
    banker: list[str]

    @property
    def points(self) -> tuple[int, int]:
        """Points of Player and Banker."""
        return points_of(self.player), points_of(self.banker)

    @property
    def winner(self) -> str:
        """The word for the result."""
        player, banker = self.points
        return "tie" if player == banker else "player" if player > banker else "banker"

    @property
    def winning(self) -> str:
        """The kinds of MAPPING that win."""
        pairs = [
            hand
            for hand, cards in (("player", self.player), ("banker", self.banker))
            if cards[0][0] == cards[1][0]
        ]
        kinds = [self.winner, *(f"{hand}_pair" for hand in pairs)]
        kinds.append("small" if len(self.player) + len(self.banker) == 4 else "big")
        if self.player[0] == self.player[1] or self.banker[0] == self.banker[1]:
            kinds.append("perfect_pair")
        return " ".join(kinds)


def points_of(cards: list[str]) -> int:
    """Count a hand."""
    return sum(VALUES[card[0]] for card in cards) % 10


def banker_draws(points: int, third: int | None) -> bool:
    """Say whether Banker draws, by the rules in words."""
    if third is None or points <= 2:
        return points <= 5
    if points == 3:
        return third != 8
    return points < 7 and 2 * (points - 3) <= third <= 7


def deal(shoe: list[str]) -> Dealt:
    """Deal one coup from the end of a shoe."""
    player, banker = [shoe.pop()], [shoe.pop()]
    player.append(shoe.pop())
    banker.append(shoe.pop())
    if max(points_of(player), points_of(banker)) < 8:
        drawn = None
        if points_of(player) <= 5:
            player.append(shoe.pop())
            drawn = VALUES[player[2][0]]
        if banker_draws(points_of(banker), drawn):
            banker.append(shoe.pop())
    return Dealt(player, banker)


def paid_on(dealt: Dealt, wager: str, stake: int) -> float:
    """Give the total handed back, in dollars: plain rules for the wagers of SUBMISSION."""
    player, banker = dealt.points
    if wager == "tie":
        return 9 * stake if dealt.winner == "tie" else 0
    if wager in ("player", "banker"):
        if dealt.winner == "tie":
            return stake
        profit = stake * 0.95 if wager == "banker" else stake
        return stake + profit if dealt.winner == wager else 0
    if wager == "eclipse.sun_7":
        wins = banker > player and banker == 7 and len(dealt.banker) == 3
        return 41 * stake if wins else 0
    hand = wager.partition("@")[2]
    hands = {"player": dealt.player, "banker": dealt.banker}
    naturals = {name: points_of(cards[:2]) >= 8 for name, cards in hands.items()}
    if dealt.winner == "tie":
        return 3 * stake if all(naturals.values()) else 0
    if dealt.winner != hand:
        return 0
    if naturals[hand]:
        return 2 * stake
    odds = TALONS_B.get(abs(player - banker))
    return stake * (1 + odds) if odds else 0


@dataclass
class RoundsWriter:
    """Writes rounds with a fault every so often, and counts what it planted."""

    seed: int = 1
    fault_every: int = 500
    wagers_a_coup: int | None = None
    """None: two to four."""
    planted: Counter[str] = field(default_factory=Counter)

    def rows(self, count: int) -> Iterator[dict[str, str]]:
        """Give so many rows: two to four wagers a coup, two seats, shoes of eight decks."""
        chance = random.Random(self.seed)
        start = datetime.datetime(2025, 3, 1, 6, tzinfo=datetime.UTC)
        written = coup = 0
        shoe: list[str] = []
        while written < count:
            if coup % SHOE_COUPS == 0:
                shoe = [r + s for r in VALUES for s in "CDHS"] * 8
                chance.shuffle(shoe)
            dealt = deal(shoe)
            time = (start + datetime.timedelta(seconds=48 * coup)).isoformat()
            claims = self._claims(dealt, coup, time)
            for seat, wager, stake in self._wagers(chance)[: self.wagers_a_coup]:
                written += 1
                yield self._row(claims, dealt, seat, wager, stake, written)
                if written == count:
                    return
            coup += 1

    def _claims(self, dealt: Dealt, coup: int, time: str) -> dict[str, str]:
        winner, (player, banker) = dealt.winner, dealt.points
        if coup % self.fault_every == 7:
            winner = "banker" if winner == "player" else "player"
            self.planted["RESULT_MISANNOUNCED"] += 1
        if coup % self.fault_every == 11:
            banker = (banker + 1) % 10
            self.planted["POINTS_MISANNOUNCED"] += 1
        return {
            "coup": f"C{coup}",
            "shoe": f"S{coup // SHOE_COUPS}",
            "table": "T-12",
            "occurred_at": time,
            "player_cards": " ".join(dealt.player),
            "banker_cards": " ".join(dealt.banker),
            "winner": winner,
            "player_points": str(player),
            "banker_points": str(banker),
            "winning_wagers": dealt.winning,
        }

    @staticmethod
    def _wagers(chance: random.Random) -> list[tuple[str, str, int]]:
        main = chance.choice(("player", "banker"))
        wagers = [("1", main, 5 * chance.randint(4, 100)), ("2", "banker", 100)]
        if chance.random() < 0.5:
            wagers.append(("2", "tie", 10))
        if chance.random() < 0.4:
            side = chance.choice(("golden_talons@player", "eclipse.sun_7"))
            wagers.append(("1", side, 5 * chance.randint(1, 5)))
        return wagers

    def _row(
        self, claims: dict[str, str], dealt: Dealt, seat: str, wager: str, stake: int, number: int
    ) -> dict[str, str]:
        paid = paid_on(dealt, wager, stake)
        if number % self.fault_every == 3:
            paid += 5
            losing = "LOSER_NOT_COLLECTED" if paid == stake else "LOSER_PAID"
            self.planted[losing if paid == 5 else "WAGER_OVERPAID"] += 1
        return {
            **claims,
            "seat": seat,
            "wager": wager,
            "stake": f"{stake}.00",
            "paid": f"{paid:.2f}",
        }

    def write(self, path: Path, count: int) -> None:
        """Write a file of so many rows."""
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows(count))


def text_of(rows: list[dict[str, str]], delimiter: str = ",") -> str:
    """Write rows as one text, under a header of the columns of the first."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
