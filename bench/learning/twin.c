/* The networks with their learning, for any rules, and the classic game for two to five seats, played at every level:
   what bench.learning.selfplay, game.players.network and game.players.levels with its search do, some hundred times as
   fast. Cards are bits, as in the compiled rules; what a rank may go on, the rows and how they are made from weights
   come from Python as tables (bench/learning/twin.py). Tests hold the two equal, move by move. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SEATS 5
#define MOST_SEATS 12 /* of games that Python plays */
#define UNITS 32
#define WIDTH 40 /* the units, the answer itself, and zeros that make rows a whole number of vectors */
#define PATIENCE 300
#define RESTLESS 100
#define MOST_MOVES 64
#define MOST_OPTIONS 512 /* moves that differ, by any rules */
#define MOST_ROWS 160
#define RANK(rank) (15ULL << 4 * (rank))
#define COUNT __builtin_popcountll

typedef uint64_t mask;
typedef float row[WIDTH];

/* -- tables, in the order in which twin.py sends them */

enum {
    HAND, UP, DOWN, NEXT_HAND, NEXT_UP, NEXT_DOWN, SECOND_HAND, SECOND_UP, SECOND_DOWN, OTHER_HANDS, OTHER_UP,
    OTHER_DOWN, PILE, UNKNOWN, PLAY, ADDED, CARD_BLOCKS,
    ASKED = CARD_BLOCKS, STOCK, PILE_SIZE, SEATS_LEFT, TURN, FEWEST, HAND_SIZE, DOWN_LEFT, NEXT_SIZE, NEXT_HIDDEN,
    NEXT_LEFT, SECOND_SIZE, SECOND_HIDDEN, SECOND_LEFT, PICK_UP, FLIP, CHANCE, LOW, SEQUENCE, STAYS, BURNS, BLOCKS,
    AGAIN, GOES_OUT, ENDS_ZONE, ALL_BLOCKS
};
enum { HAND_SIZES, STOCK_SIZES, FEWESTS, PILE_SIZES, SIZES };

static mask fits[42];
static int burning[13], worth[13], start[ALL_BLOCKS], most[CARD_BLOCKS], bucket[SIZES][64], all_rows, all_weights;
static double block_chances[6];

void twin_tables(const mask *fit, const int *numbers, const double *chances) {
    memcpy(fits, fit, sizeof fits);
    memcpy(block_chances, chances, sizeof block_chances);
    memcpy(burning, numbers, sizeof burning), numbers += 13;
    memcpy(worth, numbers, sizeof worth), numbers += 13;
    memcpy(start, numbers, sizeof start), numbers += ALL_BLOCKS;
    memcpy(most, numbers, sizeof most), numbers += CARD_BLOCKS;
    memcpy(bucket, numbers, sizeof bucket), numbers += SIZES * 64;
    all_rows = numbers[0], all_weights = numbers[1];
}

/* -- chance */

typedef struct { uint64_t state; } Rng;

static uint64_t next(Rng *rng) {
    uint64_t z = rng->state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

static double chance(Rng *rng) { return (next(rng) >> 11) * 0x1p-53; }

static int below(Rng *rng, int end) { return (int)(chance(rng) * end); }

/* -- the game */

/* `asked` is what the seat last let lie, `let_lie` how many of the cards hidden in its hand then are still there. */
typedef struct { mask hand, up, shown, slots[3], down[3]; int count_up, count_down, asked, let_lie; } Seat;

typedef struct {
    Seat seat[SEATS];
    mask held, burned;
    int seats, turn, top, count_pile, count_stock, idle, alive, over;
    unsigned char pile[52], stock[52]; /* the top of the stock is its last card */
} World;

typedef struct { int kind, number; mask cards; } Move;
enum { PLAYS, PICKS_UP, FLIPS };

static mask bit(int card) { return 1ULL << card; }
static int rank_in(mask cards) { return __builtin_ctzll(cards) >> 2; }

static int after(const World *world, int seat) {
    do seat = (seat + 1) % world->seats; while (!(world->alive >> seat & 1));
    return seat;
}

static int is_better(int card, int than) { return worth[card >> 2] > worth[than >> 2]; }

static void swap_for_better(Seat *seat) {
    for (;;) {
        int best = -1, least = 0;
        for (mask rest = seat->hand; rest; rest &= rest - 1) {
            int card = __builtin_ctzll(rest);
            if (best < 0 || is_better(card, best)) best = card;
        }
        for (int slot = 1; slot < 3; slot++)
            if (is_better(__builtin_ctzll(seat->slots[least]), __builtin_ctzll(seat->slots[slot]))) least = slot;
        mask lies = seat->slots[least];
        if (!is_better(best, __builtin_ctzll(lies))) return;
        seat->hand ^= bit(best) | lies;
        seat->up ^= bit(best) | lies;
        seat->shown = (seat->shown | lies) & ~bit(best);
        seat->slots[least] = bit(best);
    }
}

static int starter(const World *world, const unsigned char *pack, int dealer) {
    int seats = world->seats;
    for (int step = 1; step <= 13; step++) {
        int rank = step % 13; /* 3, 4 ... ace, 2 */
        for (int at = 3 * seats; at < 6 * seats; at++)
            if (pack[at] >> 2 == rank) return (dealer + 1 + at) % seats;
        for (int seat = 0; seat < seats; seat++)
            if (world->seat[seat].hand & RANK(rank)) return seat;
    }
    return 0;
}

void twin_deal(World *world, int seats, int dealer, const unsigned char *pack) {
    memset(world, 0, sizeof *world);
    world->seats = seats, world->alive = (1 << seats) - 1;
    for (int at = 0; at < 9 * seats; at++) {
        Seat *seat = &world->seat[(dealer + 1 + at) % seats];
        mask card = bit(pack[at]);
        if (at < 3 * seats) seat->down[seat->count_down++] = card;
        else if (at < 6 * seats) seat->slots[seat->count_up++] = card, seat->up |= card;
        else seat->hand |= card;
    }
    for (int at = 51; at >= 9 * seats; at--) world->stock[world->count_stock++] = pack[at];
    for (int seat = 0; seat < seats; seat++) swap_for_better(&world->seat[seat]);
    world->turn = starter(world, pack, dealer);
}

static void shuffle(unsigned char *cards, int count, Rng *rng) {
    for (int at = count - 1; at > 0; at--) {
        int other = below(rng, at + 1);
        unsigned char card = cards[at];
        cards[at] = cards[other], cards[other] = card;
    }
}

static void shuffle_and_deal(World *world, int seats, Rng *rng, unsigned char *pack) {
    for (int at = 0; at < 52; at++) pack[at] = at;
    shuffle(pack, 52, rng);
    twin_deal(world, seats, below(rng, seats), pack);
}

/* Sets from few cards to many, red jacks last; the highest rank first; or flips; then pick-ups, with every slot or with
   those of different ranks. */
static int listed(const World *world, Move *moves, int every) {
    const Seat *seat = &world->seat[world->turn];
    mask zone = seat->hand ? seat->hand : seat->up, able = zone & fits[world->top];
    int count = 0;
    for (int rank = 12; rank >= 0; rank--) {
        mask group = able & RANK(rank), set = 0, early = rank == 9 ? group & ~(6ULL << 36) : group;
        for (group &= ~early; early | group;) {
            mask *from = early ? &early : &group;
            set |= *from & -*from, *from &= *from - 1;
            moves[count++] = (Move){PLAYS, 0, set};
        }
    }
    if (!zone) {
        for (int at = 0; at < seat->count_down; at++) moves[count++] = (Move){FLIPS, at, 0};
    }
    if (world->count_pile) {
        if (seat->hand || !zone) moves[count++] = (Move){PICKS_UP, 0, 0};
        else for (int at = 0; at < seat->count_up; at++) {
            int known = 0;
            for (int other = 0; other < at && !every; other++) known |= rank_in(seat->slots[other]) == rank_in(seat->slots[at]);
            if (!known) moves[count++] = (Move){PICKS_UP, 0, seat->slots[at]};
        }
    }
    return count;
}

int twin_moves(const World *world, Move *moves) { return listed(world, moves, 0); }

/* The moves that differ in more than suits: of several flips any one. */
static int options(const World *world, Move *moves, Rng *rng) {
    int count = twin_moves(world, moves), flips = 0;
    while (flips < count && moves[flips].kind == FLIPS) flips++;
    if (flips < 2) return count;
    moves[0] = moves[below(rng, flips)], moves[1] = moves[flips];
    return count - flips + 1;
}

static int run_on_top(const World *world, int rank) {
    int count = 0;
    while (count < world->count_pile && world->pile[world->count_pile - 1 - count] >> 2 == rank) count++;
    return count;
}

static int would_burn(const World *world, mask cards) {
    int rank = rank_in(cards);
    return burning[rank] || COUNT(cards) + run_on_top(world, rank) >= 4;
}

static void remove_slots(Seat *seat, mask cards) {
    int left = 0;
    for (int at = 0; at < seat->count_up; at++)
        if (!(seat->slots[at] & cards)) seat->slots[left++] = seat->slots[at];
    seat->count_up = left, seat->up &= ~cards;
}

static void let_lie(World *world) { /* a two asks nothing */
    Seat *seat = &world->seat[world->turn];
    int hidden = COUNT(seat->hand & ~seat->shown);
    if (hidden && world->top > 1) seat->asked = world->top, seat->let_lie = hidden;
}

static void take_pile(World *world, mask more) {
    Seat *seat = &world->seat[world->turn];
    seat->hand |= world->held | more;
    seat->shown |= world->held | more;
    world->held = 0, world->count_pile = world->top = 0, world->idle++;
    world->turn = after(world, world->turn);
}

static void put(World *world, mask cards, int drew) {
    Seat *seat = &world->seat[world->turn];
    int burns = would_burn(world, cards), out = !(seat->hand | seat->up) && !seat->count_down;
    world->top = 1 + rank_in(cards);
    world->idle = drew ? 0 : world->idle + 1;
    world->held |= cards;
    for (mask rest = cards; rest; rest &= rest - 1) world->pile[world->count_pile++] = __builtin_ctzll(rest);
    if (burns) world->burned |= world->held, world->held = 0, world->count_pile = world->top = 0;
    if (out) {
        world->alive &= ~(1 << world->turn);
        world->over = !(world->alive & (world->alive - 1));
    }
    if (out || !burns) world->turn = after(world, world->turn);
}

void twin_make(World *world, const Move *move) {
    Seat *seat = &world->seat[world->turn];
    if (move->kind == PICKS_UP) {
        let_lie(world);
        remove_slots(seat, move->cards);
        take_pile(world, move->cards);
    } else if (move->kind == FLIPS) {
        mask card = seat->down[move->number];
        seat->count_down--;
        for (int at = move->number; at < seat->count_down; at++) seat->down[at] = seat->down[at + 1];
        if (card & fits[world->top]) put(world, card, 0);
        else take_pile(world, card);
    } else if (seat->hand) {
        int drew = 0, hidden = COUNT(move->cards & ~seat->shown);
        seat->let_lie -= hidden < seat->let_lie ? hidden : seat->let_lie;
        seat->hand &= ~move->cards, seat->shown &= ~move->cards;
        for (; COUNT(seat->hand) < 3 && world->count_stock; drew = 1)
            seat->hand |= bit(world->stock[--world->count_stock]);
        put(world, move->cards, drew);
    } else {
        remove_slots(seat, move->cards);
        put(world, move->cards, 0);
    }
}

static double loss(const World *world, int seat) {
    return world->alive >> seat & 1 ? 1.0 / __builtin_popcount(world->alive) : 0.0;
}

/* -- what is looked at (game.players.inputs): of other hands what was shown, everything, or nothing */

enum { SHOWN, ALL, FADED };

typedef struct { mask known, up, below; int hidden, down; } Holding;
typedef struct { Holding seat[SEATS]; int seats, turn, stock; mask unknown; } Known;
typedef struct { int count; short row[MOST_ROWS]; } Rows;

static void look(const World *world, int first, int sight, Known *known) {
    int seat = first;
    memset(known, 0, sizeof *known);
    for (int at = world->count_stock; at--;) known->unknown |= bit(world->stock[at]);
    do {
        const Seat *chair = &world->seat[seat];
        Holding *found = &known->seat[known->seats];
        mask down = 0;
        for (int at = 0; at < chair->count_down; at++) down |= chair->down[at];
        if (seat == world->turn) known->turn = known->seats;
        found->known = sight == ALL || seat == first ? chair->hand : sight == SHOWN ? chair->hand & chair->shown : 0;
        found->hidden = COUNT(chair->hand ^ found->known);
        found->up = chair->up, found->down = chair->count_down, found->below = sight == ALL ? down : 0;
        if (sight != ALL) known->unknown |= (chair->hand ^ found->known) | down;
        known->seats++;
        seat = after(world, seat);
    } while (seat != first);
    known->stock = world->count_stock;
}

static void light(Rows *rows, int lit) { rows->row[rows->count++] = lit; }

static int at_most(int number, int top) { return number < top ? number : top; }

static void light_cards(Rows *rows, int block, mask cards) {
    while (cards) {
        int rank = rank_in(cards);
        light(rows, start[block] + rank * most[block] + at_most(COUNT(cards & RANK(rank)), most[block]) - 1);
        cards &= ~RANK(rank);
    }
}

static void light_seat(Rows *rows, const Holding *seat, const int *zone) {
    light_cards(rows, zone[0], seat->known);
    light_cards(rows, zone[1], seat->up);
    light_cards(rows, zone[2], seat->below);
    light(rows, start[zone[3]] + bucket[HAND_SIZES][COUNT(seat->known) + seat->hidden]);
    light(rows, start[zone[5]] + at_most(seat->down, 3));
    if (seat->hidden) light(rows, start[zone[4]] + at_most(seat->hidden, 4) - 1);
}

static void state_rows(const World *world, const Known *known, Rows *rows) {
    static const int zones[3][6] = {
        {HAND, UP, DOWN, HAND_SIZE, NEXT_HIDDEN, DOWN_LEFT},
        {NEXT_HAND, NEXT_UP, NEXT_DOWN, NEXT_SIZE, NEXT_HIDDEN, NEXT_LEFT},
        {SECOND_HAND, SECOND_UP, SECOND_DOWN, SECOND_SIZE, SECOND_HIDDEN, SECOND_LEFT}};
    Holding others = {0};
    int fewest = 99;
    rows->count = 0;
    light(rows, 0);
    light(rows, start[ASKED] + world->top);
    for (int at = 0; at < known->seats; at++) {
        const Holding *seat = &known->seat[at];
        int count = COUNT(seat->known | seat->up) + seat->hidden + seat->down;
        if (at && count < fewest) fewest = count;
        if (at < 3) light_seat(rows, seat, zones[at]);
        else others.known |= seat->known, others.up |= seat->up, others.below |= seat->below;
    }
    light_cards(rows, OTHER_HANDS, others.known);
    light_cards(rows, OTHER_UP, others.up);
    light_cards(rows, OTHER_DOWN, others.below);
    light_cards(rows, PILE, world->held);
    light_cards(rows, UNKNOWN, known->unknown);
    light(rows, start[STOCK] + bucket[STOCK_SIZES][known->stock]);
    light(rows, start[PILE_SIZE] + bucket[PILE_SIZES][world->count_pile]);
    light(rows, start[SEATS_LEFT] + at_most(known->seats - 2, 3));
    light(rows, start[TURN] + at_most(known->turn, 3));
    light(rows, start[FEWEST] + bucket[FEWESTS][fewest]);
}

static double stuck_chance(const Known *known, const Holding *seat, mask able) {
    mask shown = seat->known ? seat->known : seat->hidden ? 0 : seat->up;
    if (shown & able) return 0;
    if (shown && !seat->hidden) return 1;
    if (seat->below && !seat->hidden) return 1 - (double)COUNT(seat->below & able) / seat->down;
    int unknown = COUNT(known->unknown);
    double share = unknown ? (double)COUNT(known->unknown & able) / unknown : 0;
    return pow(1 - share, seat->hidden ? seat->hidden : 1);
}

static void move_rows(const World *world, const Known *known, const Move *move, Rows *rows) {
    rows->count = 0;
    if (move->kind == FLIPS) { light(rows, start[FLIP]); return; }
    if (move->kind == PICKS_UP) {
        light(rows, start[PICK_UP]);
        if (move->cards) light(rows, start[ADDED] + rank_in(move->cards));
        return;
    }
    const Holding *seat = &known->seat[0];
    int rank = rank_in(move->cards);
    mask stays = (seat->known ? seat->known : seat->up) & ~move->cards;
    light_cards(rows, PLAY, move->cards);
    light(rows, start[STAYS] + at_most(COUNT(stays & RANK(rank)), 3));
    if (!stays && !known->stock) light(rows, start[(seat->known && seat->up) || seat->down ? ENDS_ZONE : GOES_OUT]);
    if (would_burn(world, move->cards)) {
        light(rows, start[BURNS] + bucket[PILE_SIZES][world->count_pile]);
        return;
    }
    double stuck = stuck_chance(known, &known->seat[1], fits[1 + rank]);
    int level = 0;
    while (level < 6 && stuck > block_chances[level]) level++;
    if (level) light(rows, start[BLOCKS] + level - 1);
}

/* What the roll-out player looks at (game.players.search), stage by stage; the rows of `chance` are never so. */
enum { R_PLAY, R_ADDED = 56, R_STAYS = 70, R_BURNS = 74, R_BLOCKS = 82, R_PICK_UP = 90, R_OUT = 100, R_ENDS, R_FLIP, R_ALL };

static void rollout_rows(const World *world, const Move *move, Rows *rows) {
    const Seat *seat = &world->seat[world->turn], *other = &world->seat[after(world, world->turn)];
    int pile = bucket[PILE_SIZES][world->count_pile], base = R_ALL * (!seat->hand ? 2 : !world->count_stock);
    rows->count = 0;
    if (move->kind == FLIPS) { light(rows, base + R_FLIP); return; }
    if (move->kind == PICKS_UP) {
        light(rows, base + R_PICK_UP + pile);
        if (move->cards) light(rows, base + R_ADDED + rank_in(move->cards));
        return;
    }
    int rank = rank_in(move->cards);
    mask stays = (seat->hand ? seat->hand : seat->up) & ~move->cards;
    light(rows, base + R_PLAY + rank * 4 + COUNT(move->cards) - 1);
    light(rows, base + R_STAYS + COUNT(stays & RANK(rank)));
    if (!stays && !world->count_stock) light(rows, base + ((seat->hand && seat->up) || seat->count_down ? R_ENDS : R_OUT));
    if (would_burn(world, move->cards)) { light(rows, base + R_BURNS + pile); return; }
    mask answers = other->hand ? other->hand : other->up ? other->up : other->down[other->count_down - 1];
    if (!(answers & fits[1 + rank])) light(rows, base + R_BLOCKS + pile);
}

/* What is kept of games to learn from. */
typedef struct { int seat, seen, whole, moves, count, taken; double value, gain, loss; } Step;

static struct { Step *steps; short *pool; int count, first, room, used, space; } kept; /* `first` of the last game */

/* -- networks (game.players.network) */

typedef struct {
    row *weights, *means, *squares, *rows, *slopes; /* the last row of the first three is `out`, of slopes as well */
    double updates;
    const int *from, *of; /* how the rules make `rows` from `weights`: each of its parts from .. from[next], */
    const float *factors; /* of which row of weights, and how much of it */
    int is_rollout;       /* it looks at what the roll-out player looks at */
} Learner;

static void mix(Learner *net) {
    for (int at = 0; at < all_rows; at++) {
        float *sum = net->rows[at];
        memset(sum, 0, sizeof(row));
        for (int part = net->from[at]; part < net->from[at + 1]; part++)
            for (int unit = 0; unit < WIDTH; unit++) sum[unit] += net->factors[part] * net->weights[net->of[part]][unit];
    }
}

Learner *twin_learner(const float *numbers, int is_rollout) {
    Learner *net = calloc(1, sizeof *net);
    net->is_rollout = is_rollout;
    net->weights = calloc(all_weights + 1, sizeof(row)), net->means = calloc(all_weights + 1, sizeof(row));
    net->squares = calloc(all_weights + 1, sizeof(row)), net->rows = calloc(all_rows, sizeof(row));
    net->slopes = calloc(all_rows + 1, sizeof(row));
    for (int at = 0; at < all_weights; at++, numbers += UNITS + 1)
        memcpy(net->weights[at], numbers, (UNITS + 1) * sizeof *numbers);
    memcpy(net->weights[all_weights], numbers, UNITS * sizeof *numbers);
    return net;
}

/* The rules that the next games are played by; the arrays must stay where they are. */
void twin_rules(Learner *net, const int *from, const int *of, const float *factors) {
    net->from = from, net->of = of, net->factors = factors;
    kept.count = kept.first = kept.used = 0; /* of a game that was not played to its end */
    mix(net);
}

void twin_weights(const Learner *net, float *numbers) {
    for (int at = 0; at < all_weights; at++, numbers += UNITS + 1)
        memcpy(numbers, net->weights[at], (UNITS + 1) * sizeof *numbers);
    memcpy(numbers, net->weights[all_weights], UNITS * sizeof *numbers);
}

void twin_free(Learner *net) {
    free(net->weights), free(net->means), free(net->squares), free(net->rows), free(net->slopes), free(net);
}

static void add_rows(const Learner *net, const short *lit, int count, float *sums) {
    while (count--) {
        const float *add = net->rows[*lit++];
        for (int unit = 0; unit < WIDTH; unit++) sums[unit] += add[unit];
    }
}

static float answer(const Learner *net, const float *sums) {
    const float *out = net->weights[all_weights];
    float found = 0;
    for (int unit = 0; unit < UNITS; unit++) found += (sums[unit] > 0 ? sums[unit] : 0) * out[unit];
    return found + sums[UNITS];
}

static double chance_of(float score) { return 1 / (1 + exp(-score)); }

static void softmax(const float *scores, int count, double temperature, double *chances) {
    double high = scores[0], whole = 0;
    for (int at = 1; at < count; at++) if (scores[at] > high) high = scores[at];
    for (int at = 0; at < count; at++) whole += chances[at] = exp((scores[at] - high) / temperature);
    for (int at = 0; at < count; at++) chances[at] /= whole;
}

static int drawn(const double *chances, int count, double draw) {
    int at = 0;
    while (at < count - 1 && (draw -= chances[at]) >= 0) at++;
    return at;
}

/* -- games kept as what each choice looked like */

static int keep(const short *lists, int length) {
    if (kept.used + length > kept.space) kept.pool = realloc(kept.pool, (kept.space += 1 << 20) * sizeof(short));
    memcpy(kept.pool + kept.used, lists, length * sizeof(short));
    return (kept.used += length) - length;
}

static int keep_rows(const Rows *rows) { /* a list of rows with its length before it */
    short length = rows->count;
    int at = keep(&length, 1);
    keep(rows->row, length);
    return at;
}

static Step *new_step(void) {
    if (kept.count == kept.room) kept.steps = realloc(kept.steps, (kept.room += 1 << 14) * sizeof(Step));
    return &kept.steps[kept.count++];
}

/* The sums of each move of a choice, and their scores. */
static void add_up(const Learner *net, const Step *step, row *sums, float *scores) {
    const short *seen = kept.pool + step->seen, *lit = kept.pool + step->moves;
    row base = {0};
    add_rows(net, seen + 1, *seen, base);
    for (int at = 0; at < step->count; at++, lit += *lit + 1) {
        memcpy(sums[at], base, sizeof base);
        add_rows(net, lit + 1, *lit, sums[at]);
        scores[at] = answer(net, sums[at]);
    }
}

/* Take one of the moves by their chances; `draw` is from 0 to 1. */
static int take(Step *step, const Learner *player, const Learner *critic, double draw) {
    const short *whole = kept.pool + step->whole;
    float scores[MOST_OPTIONS];
    double chances[MOST_OPTIONS];
    row sums[MOST_OPTIONS], all = {0};
    add_rows(critic, whole + 1, *whole, all);
    step->value = chance_of(answer(critic, all));
    add_up(player, step, sums, scores);
    softmax(scores, step->count, 1, chances);
    return step->taken = drawn(chances, step->count, draw);
}

/* A game is over and cost each seat so much: how much better did each choice turn out than the critic had expected? */
void twin_judge(const double *losses, int seats, double trust) {
    double expected[MOST_SEATS], gains[MOST_SEATS] = {0};
    memcpy(expected, losses, seats * sizeof *losses);
    for (int at = kept.count; at-- > kept.first;) {
        Step *step = &kept.steps[at];
        step->loss = losses[step->seat];
        step->gain = gains[step->seat] = step->value - expected[step->seat] + trust * gains[step->seat];
        expected[step->seat] = step->value;
    }
    kept.first = kept.count;
}

static void look_with(const Learner *net, const World *world, int first, int sight, Known *known, Rows *rows,
                      float *sums) {
    look(world, first, sight, known);
    state_rows(world, known, rows);
    add_rows(net, rows->row, rows->count, sums);
}

static void scores_of(const World *world, const Learner *net, int sight, const Move *moves, int count, float *scores) {
    Known known;
    Rows rows;
    row base = {0};
    if (!net->is_rollout) look_with(net, world, world->turn, sight, &known, &rows, base);
    for (int at = 0; at < count; at++) {
        row sums;
        memcpy(sums, base, sizeof sums);
        if (net->is_rollout) rollout_rows(world, &moves[at], &rows);
        else move_rows(world, &known, &moves[at], &rows);
        add_rows(net, rows.row, rows.count, sums);
        scores[at] = answer(net, sums);
    }
}

static int choose_and_keep(const World *world, const Learner *player, const Learner *critic, const Move *moves, int count,
                           Rng *rng) {
    Step *step = new_step();
    Known known;
    Rows rows;
    *step = (Step){.seat = world->turn, .count = count};
    look(world, world->turn, ALL, &known);
    state_rows(world, &known, &rows);
    step->whole = keep_rows(&rows);
    look(world, world->turn, SHOWN, &known);
    state_rows(world, &known, &rows);
    if (player->is_rollout) rows.count = 0;
    step->seen = keep_rows(&rows);
    step->moves = kept.used;
    for (int at = 0; at < count; at++) {
        if (player->is_rollout) rollout_rows(world, &moves[at], &rows);
        else move_rows(world, &known, &moves[at], &rows);
        keep_rows(&rows);
    }
    return take(step, player, critic, chance(rng));
}

static void play_and_keep(int seats, const Learner *player, const Learner *critic, double trust, Rng *rng) {
    World world;
    unsigned char pack[52];
    double losses[SEATS];
    shuffle_and_deal(&world, seats, rng, pack);
    while (!world.over && world.idle < PATIENCE) {
        Move moves[MOST_MOVES];
        int count = options(&world, moves, rng);
        int taken = count > 1 ? choose_and_keep(&world, player, critic, moves, count, rng) : 0;
        twin_make(&world, &moves[taken]);
    }
    for (int seat = 0; seat < seats; seat++) losses[seat] = loss(&world, seat);
    twin_judge(losses, seats, trust);
}

/* A choice of a game that Python plays, by any rules, and which move is taken: `lists` are the rows that are so, those
   that the seat sees and those of each move, each list with its length before it, `length` numbers in all. */
int twin_keep(const Learner *player, const Learner *critic, int seat, const short *lists, int length, int count,
              double draw) {
    Step *step = new_step();
    int whole = keep(lists, length), seen = whole + 1 + lists[0], moves = seen + 1 + kept.pool[seen];
    *step = (Step){.seat = seat, .whole = whole, .seen = seen, .moves = moves, .count = at_most(count, MOST_OPTIONS)};
    return take(step, player, critic, draw);
}

/* -- learning from them */

static void pass_on(Learner *net, const short *lit, int count, const float *inner) {
    while (count--) {
        float *slope = net->slopes[*lit++];
        for (int unit = 0; unit < WIDTH; unit++) slope[unit] += inner[unit];
    }
}

static void push(Learner *net, const float *sums, float slope, float *inner) {
    const float *out = net->weights[all_weights];
    float *outer = net->slopes[all_rows];
    for (int unit = 0; unit < UNITS; unit++) {
        outer[unit] += sums[unit] > 0 ? slope * sums[unit] : 0;
        inner[unit] = sums[unit] > 0 ? slope * out[unit] : 0;
    }
    inner[UNITS] = slope;
}

static double push_choice(Learner *net, const Step *step, double gain, double curiosity, double scale) {
    row sums[MOST_OPTIONS], together = {0};
    float scores[MOST_OPTIONS];
    double chances[MOST_OPTIONS], openness = 0;
    const short *seen = kept.pool + step->seen, *lit = kept.pool + step->moves;
    add_up(net, step, sums, scores);
    softmax(scores, step->count, 1, chances);
    for (int at = 0; at < step->count; at++) openness -= chances[at] * log(chances[at] + 1e-9);
    for (int at = 0; at < step->count; at++, lit += *lit + 1) {
        row inner = {0};
        double slope = gain * ((at == step->taken) - chances[at]);
        slope -= curiosity * chances[at] * (log(chances[at] + 1e-9) + openness);
        push(net, sums[at], slope * scale, inner);
        pass_on(net, lit + 1, *lit, inner);
        for (int unit = 0; unit < WIDTH; unit++) together[unit] += inner[unit];
    }
    pass_on(net, seen + 1, *seen, together);
    return openness;
}

static double push_value(Learner *net, const Step *step, double scale) {
    const short *lit = kept.pool + step->whole;
    row sums = {0}, inner = {0};
    add_rows(net, lit + 1, *lit, sums);
    double value = chance_of(answer(net, sums));
    push(net, sums, (step->loss - value) * scale, inner);
    pass_on(net, lit + 1, *lit, inner);
    return -log(fmax(step->loss >= 0.5 ? value : 1 - value, 1e-9));
}

static void climb(Learner *net, double rate) { /* a step of Adam */
    static row *uphill;
    uphill = realloc(uphill, (all_weights + 1) * sizeof(row));
    memset(uphill, 0, all_weights * sizeof(row));
    memcpy(uphill[all_weights], net->slopes[all_rows], sizeof(row));
    for (int at = 0; at < all_rows; at++)
        for (int part = net->from[at]; part < net->from[at + 1]; part++)
            for (int unit = 0; unit < WIDTH; unit++)
                uphill[net->of[part]][unit] += net->factors[part] * net->slopes[at][unit];
    net->updates++;
    float first = 1 - pow(0.9, net->updates), second = 1 - pow(0.999, net->updates), step = rate;
    for (int at = 0; at <= all_weights; at++) {
        float *slope = uphill[at], *mean = net->means[at], *square = net->squares[at], *weight = net->weights[at];
        for (int unit = 0; unit < WIDTH; unit++) {
            mean[unit] = 0.9f * mean[unit] + 0.1f * slope[unit];
            square[unit] = 0.999f * square[unit] + 0.001f * slope[unit] * slope[unit];
            weight[unit] += step * (mean[unit] / first) / (sqrtf(square[unit] / second) + 1e-8f);
        }
    }
    memset(net->slopes, 0, (all_rows + 1) * sizeof(row));
    mix(net);
}

/* Learn from the games that are kept, and forget them; `report` is how surprised the critic was and how open the
   choices were. */
void twin_learn(Learner *player, Learner *critic, const double *rates, double *report) {
    double squares = 0;
    for (int at = 0; at < kept.count; at++) squares += kept.steps[at].gain * kept.steps[at].gain;
    double spread = sqrt(squares / kept.count) + 1e-6, scale = 1.0 / kept.count;
    report[0] = report[1] = 0;
    for (int at = 0; at < kept.count; at++) {
        report[0] += push_value(critic, &kept.steps[at], scale) * scale;
        report[1] += push_choice(player, &kept.steps[at], kept.steps[at].gain / spread, rates[1], scale) * scale;
    }
    climb(player, rates[0]);
    climb(critic, rates[2]);
    kept.count = kept.first = kept.used = 0;
}

void twin_play(Learner *player, Learner *critic, int seats, int games, uint64_t seed, double trust) {
    Rng rng = {seed};
    while (games--) play_and_keep(seats, player, critic, trust, &rng);
}

/* -- matches */

static double price(const World *world, mask cards) { /* game.players.quick_player: low first, then many or few */
    int rank = rank_in(cards), special = rank == 0 || burning[rank], count = COUNT(cards);
    double cost = worth[rank] - (would_burn(world, cards) && world->count_pile > 3 ? 12 : 0);
    return cost * 4096 + (special ? count : -count) * 64 + rank;
}

int twin_quick_choice(const World *world, const Move *moves, int count) {
    int best = 0;
    double least = INFINITY;
    for (int at = 0; at < count; at++) {
        const Move *move = &moves[at];
        double cost = move->kind == PLAYS ? price(world, move->cards) : 1e9 + (move->cards ? worth[rank_in(move->cards)] : 0);
        if (cost < least) least = cost, best = at;
    }
    return best;
}

/* -- searching (game.players.worlds, game.players.search, game.players.levels) */

typedef struct { double favourites, least, weight; } Trust;
typedef struct {
    const Learner *policy, *critic;
    double *rollout, temperature, margin, remembers, moves, depth; /* without `moves` it does not search */
    Trust between_two, at_the_end, among_more;
} Player;

Player *twin_player(const Learner *policy, const Learner *critic, const double *rollout, int count, const double *style) {
    Player *player = calloc(1, sizeof *player);
    player->policy = policy, player->critic = critic, player->rollout = malloc(count * sizeof *rollout);
    memcpy(player->rollout, rollout, count * sizeof *rollout);
    memcpy(&player->temperature, style, sizeof *player - offsetof(Player, temperature));
    return player;
}

void twin_free_player(Player *player) { free(player->rollout), free(player); }

/* Cards for the hidden part of a hand. Who let a card lie that it could have answered mostly held no answer then. */
static mask hidden_cards(const Seat *seat, int missing, unsigned char *rest, int *left, Rng *rng) {
    int likely = at_most(seat->let_lie, missing), kept = 0;
    mask cards = 0;
    for (int at = 0, end = likely ? *left : 0; at < end; at++) {
        mask card = bit(rest[at]);
        int fits_well = !(card & fits[seat->asked]) || chance(rng) < 0.25;
        if (fits_well && likely) cards |= card, likely--, missing--;
        else rest[kept++] = rest[at];
        *left = kept + end - 1 - at;
    }
    while (missing--) cards |= bit(rest[--*left]);
    return cards;
}

/* A table that may be, for the seat on turn: the cards that it cannot see dealt anew. */
static void deal_anew(const World *world, Rng *rng, World *made) {
    unsigned char rest[52];
    int left = 0;
    Known known;
    look(world, world->turn, SHOWN, &known);
    for (mask unseen = known.unknown; unseen; unseen &= unseen - 1) rest[left++] = __builtin_ctzll(unseen);
    shuffle(rest, left, rng);
    *made = *world;
    for (int at = 0; at < world->seats; at++) {
        Seat *seat = &made->seat[at];
        mask hidden = at == world->turn ? 0 : seat->hand & ~seat->shown;
        seat->hand ^= hidden;
        if (hidden) seat->hand |= hidden_cards(seat, COUNT(hidden), rest, &left, rng);
        for (int down = 0; down < seat->count_down; down++) seat->down[down] = bit(rest[--left]);
    }
    for (int at = 0; at < world->count_stock; at++) made->stock[world->count_stock - 1 - at] = rest[at];
}

static double rollout_score(const World *world, const double *rows, const Move *move) {
    Rows found;
    double score = 0;
    rollout_rows(world, move, &found);
    for (int at = 0; at < found.count; at++) score += rows[found.row[at]];
    return score;
}

static void react(World *world, const double *rows, Rng *rng) {
    Move moves[MOST_MOVES];
    int count = listed(world, moves, 1), best = 0;
    double most = -1e9;
    for (int at = 0; at < count && count > 1; at++) {
        double noisy = rollout_score(world, rows, &moves[at]) - 0.5 * log(-log(chance(rng) + 1e-12) + 1e-12);
        if (noisy > most) most = noisy, best = at;
    }
    twin_make(world, &moves[best]);
}

static double play_on(World *world, int seat, const Player *player, Rng *rng) {
    for (int left = player->depth; left && !world->over && world->alive >> seat & 1; left--)
        react(world, player->rollout, rng);
    if (world->over || !(world->alive >> seat & 1)) return loss(world, seat);
    Known known;
    Rows rows;
    row sums = {0};
    look_with(player->critic, world, seat, ALL, &known, &rows, sums);
    return chance_of(answer(player->critic, sums));
}

static void average_costs(const World *world, const Player *player, const Move *moves, int count, Rng *rng, double *found) {
    int worlds = player->moves / (player->depth * count);
    if (!worlds) worlds = 1;
    memset(found, 0, count * sizeof *found);
    for (int left = worlds; left; left--) {
        World dealt;
        deal_anew(world, rng, &dealt);
        for (int at = 0; at < count; at++) {
            World made = dealt;
            twin_make(&made, &moves[at]);
            found[at] += play_on(&made, world->turn, player, rng) / worlds;
        }
    }
}

static int searched(const World *world, const Player *player, const Move *moves, int count, const double *chances,
                    Rng *rng) {
    const Trust *trust = __builtin_popcount(world->alive) > 2 ? &player->among_more
                       : world->count_stock ? &player->between_two : &player->at_the_end;
    int order[MOST_MOVES], tried = 0, best = 0;
    Move kept[MOST_MOVES];
    double found[MOST_MOVES];
    for (int at = 0; at < count; at++) { /* the policy's favourites first */
        int place = at;
        for (; place && chances[order[place - 1]] < chances[at]; place--) order[place] = order[place - 1];
        order[place] = at;
    }
    while (tried < count && tried < trust->favourites && chances[order[tried]] >= trust->least)
        kept[tried] = moves[order[tried]], tried++;
    if (tried == 1) return order[0];
    average_costs(world, player, kept, tried, rng, found);
    for (int at = 0; at < tried; at++) found[at] -= trust->weight * log(fmax(chances[order[at]], 1e-9));
    for (int at = 1; at < tried; at++) if (found[at] < found[best]) best = at;
    return order[best];
}

/* -- the player by public advice (bench/rivals.py); `shares` says for each code how many cards go on it */

static double hindering(const World *world, int top, const double *shares) {
    const Seat *other = &world->seat[after(world, world->turn)];
    if (COUNT(other->hand | other->up) + other->count_down > 4) return 0;
    double stuck = other->up && !other->hand ? !(other->up & fits[top]) : 1 - shares[top];
    return 3 * stuck * (1 + world->count_pile / 4.0);
}

static double advised_price(const World *world, const Move *move, const double *shares) {
    int count = COUNT(move->cards), lying = world->count_pile, rank = move->cards ? rank_in(move->cards) : 0;
    if (move->kind == FLIPS) return 0;
    if (move->kind == PICKS_UP) {
        double price = 10.5 + lying / 2.0;
        if (move->cards) return 200 + worth[rank];
        for (int at = 0; at < lying; at++) {
            int value = worth[world->pile[at] >> 2];
            price += (value < 5) - 2.5 * (value >= 10);
        }
        return world->count_stock > 8 && lying <= 4 ? price : 100;
    }
    const Seat *seat = &world->seat[world->turn];
    int special = rank == 0 || burning[rank], burns = would_burn(world, move->cards);
    double price = burning[rank] ? 15 : special ? 13 : worth[rank];
    int left = COUNT((seat->hand ? seat->hand : seat->up) & RANK(rank) & ~move->cards);
    if (special) price += 6 * (count - 1);
    else if (!burns) price += rank < 9 || !world->count_stock ? 2 * left : count / 2.0;
    if (burns) return price - (!burning[rank] ? 20 : lying >= 6 ? 8 : lying >= 4 ? 3 : 0);
    return price - hindering(world, 1 + rank, shares);
}

static int advised(const World *world, const double *shares, const Move *moves, int count, Rng *rng) {
    int best = 0, plays = 0;
    double least = INFINITY;
    if (world->idle > 50 && chance(rng) < 0.3) {
        while (plays < count && moves[plays].kind == PLAYS) plays++;
        return below(rng, plays ? plays : count);
    }
    for (int at = 0; at < count && count > 1; at++) {
        double price = advised_price(world, &moves[at], shares);
        if (price < least) least = price, best = at;
    }
    return best;
}

static double played_out(World *world, int seat, const double *shares, Rng *rng) {
    for (int left = 300; left; left--) {
        Move moves[MOST_MOVES];
        if (world->over || !(world->alive >> seat & 1)) return loss(world, seat);
        int count = listed(world, moves, 1);
        twin_make(world, &moves[advised(world, shares, moves, count, rng)]);
    }
    return 0.5;
}

static int public_choice(const World *world, const double *shares, const Move *moves, int count, Rng *rng) {
    double lost[MOST_MOVES] = {0};
    World dealt, made;
    int best = 0;
    if (world->count_stock || __builtin_popcount(world->alive) > 2) {
        deal_anew(world, rng, &dealt);
        return advised(&dealt, shares, moves, count, rng);
    }
    for (int left = 30; left; left--) {
        deal_anew(world, rng, &dealt);
        for (int at = 0; at < count; at++) {
            made = dealt;
            twin_make(&made, &moves[at]);
            lost[at] += played_out(&made, world->turn, shares, rng);
        }
    }
    for (int at = 1; at < count; at++) if (lost[at] < lost[best]) best = at;
    return best;
}

static int goes_out(const World *world, const Move *move) {
    const Seat *seat = &world->seat[world->turn];
    return move->kind == PLAYS && move->cards == (seat->hand | seat->up) && !seat->count_down && !world->count_stock;
}

/* The move that a player chooses among two or more; the longer nothing happens, the more each varies its play. */
static int chosen(const World *world, const Player *player, const Move *moves, int count, Rng *rng) {
    if (!player) return twin_quick_choice(world, moves, count);
    if (!player->policy) return public_choice(world, player->rollout, moves, count, rng);
    for (int at = 0; at < count; at++) if (goes_out(world, &moves[at])) return at;
    float scores[MOST_MOVES];
    double chances[MOST_MOVES], patiences = (double)world->idle / RESTLESS;
    double temperature = player->temperature, margin = player->margin;
    int restless = patiences > 1, best = 0;
    if (restless) temperature = 1.5 * patiences, margin = 6 * patiences;
    scores_of(world, player->policy, restless || player->remembers ? SHOWN : FADED, moves, count, scores);
    for (int at = 1; at < count; at++) if (scores[at] > scores[best]) best = at;
    if (player->moves && !restless) {
        softmax(scores, count, 1, chances);
        return searched(world, player, moves, count, chances, rng);
    }
    if (!temperature) return best;
    float least = scores[best] - margin;
    for (int at = 0; at < count; at++) if (scores[at] < least) scores[at] = -INFINITY;
    softmax(scores, count, temperature, chances);
    return drawn(chances, count, chance(rng));
}

/* A pack played once from each seat by `one` at a table of `others`, the baseline player where there is none; what
   `one` lost of these games. */
double twin_pack(const Player *one, const Player *others, int seats, uint64_t seed) {
    Rng rng = {seed};
    World dealt;
    unsigned char pack[52];
    double lost = 0;
    shuffle_and_deal(&dealt, seats, &rng, pack);
    for (int own = 0; own < seats; own++) {
        World world = dealt;
        while (!world.over && world.idle < 1000) {
            Move moves[MOST_MOVES];
            int count = options(&world, moves, &rng), taken = 0;
            if (count > 1) taken = chosen(&world, world.turn == own ? one : others, moves, count, &rng);
            twin_make(&world, &moves[taken]);
        }
        lost += loss(&world, own) / seats;
    }
    return lost;
}

/* The same for two networks, which do not search. */
double twin_match(const Learner *one, const Learner *others, int seats, uint64_t seed) {
    Player first = {.policy = one, .remembers = 1}, second = {.policy = others, .remembers = 1};
    return twin_pack(&first, others ? &second : 0, seats, seed);
}

/* -- to be compared with the engine */

static short *copied(const Rows *rows, short *to) {
    *to = rows->count;
    memcpy(to + 1, rows->row, rows->count * sizeof(short));
    return to + MOST_ROWS;
}

/* The rows of the position as the seat on turn sees it, as it is, and of each move, with their numbers before them. */
void twin_look(const World *world, const Learner *player, const Move *moves, int count, short *rows, float *scores) {
    Known known;
    Rows found;
    for (int sight = ALL; sight >= SHOWN; sight--) {
        look(world, world->turn, sight, &known);
        state_rows(world, &known, &found);
        rows = copied(&found, rows);
    }
    for (int at = 0; at < count; at++) {
        move_rows(world, &known, &moves[at], &found);
        rows = copied(&found, rows);
    }
    scores_of(world, player, SHOWN, moves, count, scores);
}

/* What each of these moves costs by a player's search, with random numbers of its own. */
void twin_average_costs(const World *world, const Player *player, const Move *moves, int count, uint64_t seed, double *found) {
    Rng rng = {seed};
    average_costs(world, player, moves, count, &rng, found);
}

/* What a player chooses among these moves, with random numbers of its own. */
int twin_choose(const World *world, const Player *player, const Move *moves, int count, uint64_t seed) {
    Rng rng = {seed};
    return chosen(world, player, moves, count, &rng);
}
