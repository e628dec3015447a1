// The parts of the containers that the model library has, in place of libstdc++'s, under random operations: trees are red-black after each, and all
// containers hold what a plain array says.
#include <algorithm>
#include <cstdio>
#include <list>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

static int differences;

static void check(bool holds)
{
    differences += !holds;
}

struct Tree : std::multiset<int> {
    // The set's only member is its tree.
    bool is_red_black() const
    {
        using Inner = std::_Rb_tree<int, int, std::_Identity<int>, std::less<int>, std::allocator<int>>;
        return reinterpret_cast<const Inner *>(this)->__rb_verify();
    }
};

static void trees(std::mt19937 &random)
{
    Tree tree;
    std::vector<int> all;
    for (int i = 0; i < 3000; i++) {
        int value = random() % 60;
        if (random() % 5 < 3) {
            tree.insert(value);
            all.insert(std::upper_bound(all.begin(), all.end(), value), value);
        } else if (auto at = tree.find(value); at != tree.end()) {
            tree.erase(at);
            all.erase(std::find(all.begin(), all.end(), value));
        }
        if (random() % 400 == 0) {
            tree.clear();
            all.clear();
        }
        check(tree.is_red_black());
        check(std::equal(tree.begin(), tree.end(), all.begin(), all.end()));
        check(std::equal(tree.rbegin(), tree.rend(), all.rbegin(), all.rend()));
    }
}

static void lists(std::mt19937 &random)
{
    std::list<int> one, other;
    std::vector<int> first, second;
    for (int i = 0; i < 2000; i++) {
        int value = random() % 10;
        auto place = [&](auto &container) { return std::next(container.begin(), container.empty() ? 0 : i % container.size()); };
        switch (random() % 8) {
        case 0:
        case 1:
            one.insert(place(one), value);
            first.insert(place(first), value);
            break;
        case 2:
            one.remove(value);
            first.erase(std::remove(first.begin(), first.end(), value), first.end());
            break;
        case 3:
            one.reverse();
            std::reverse(first.begin(), first.end());
            break;
        case 4:
            one.swap(other);
            first.swap(second);
            break;
        case 5:
            one.sort();
            std::sort(first.begin(), first.end());
            break;
        case 6:
            one.splice(place(one), other);
            first.insert(place(first), second.begin(), second.end());
            second.clear();
            break;
        default:
            other.push_back(value);
            second.push_back(value);
        }
        check(std::equal(one.begin(), one.end(), first.begin(), first.end()));
        check(std::equal(other.rbegin(), other.rend(), second.rbegin(), second.rend()));
    }
}

static void tables(std::mt19937 &random)
{
    std::unordered_map<std::string, int> table;
    std::vector<int> counts(500);
    for (int i = 0; i < 5000; i++) {
        int value = random() % 500;
        if (random() % 3) {
            table["value " + std::to_string(value)]++;
            counts[value]++;
        } else {
            table.erase("value " + std::to_string(value));
            counts[value] = 0;
        }
        check(table.load_factor() <= table.max_load_factor());
    }
    for (int value = 0; value < 500; value++) {
        auto at = table.find("value " + std::to_string(value));
        check((at == table.end() ? 0 : at->second) == counts[value]);
    }
}

int main()
{
    std::mt19937 random(1);
    trees(random);
    lists(random);
    tables(random);
    std::printf("%d differences\n", differences);
    return 0;
}
