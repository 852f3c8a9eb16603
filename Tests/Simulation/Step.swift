internal import EventLoop

/// A kind of action in a run, applied to one owner.
struct Step: Sendable {
  /// Relative frequency when there are no favourites.
  let weight: Int
  let take: @EventLoop @Sendable (History, _ index: Int) -> Void

  private init(_ weight: Int, _ take: @escaping @EventLoop @Sendable (History, _ index: Int) -> Void) {
    (self.weight, self.take) = (weight, take)
  }

  static let weights = all.reduce(0) { $0 + $1.weight }

  static let all = [
    Step(42) { $0.signOn($1) },
    Step(64) { $0.decide($1) },
    Step(8) { $0.insist($1) },
    Step(4) { $0.importCounted($1) },
    Step(2) { $0.flood($1) },
    Step(10) { $0.look($1) },
    Step(1) { history, _ in history.platform.changeKey() },
    Step(12) { $0.passcode($1) },
    Step(6) { $0.deliver($1) },
    Step(6) { history, _ in history.takeBack() },
    Step(6) { $0.code($1) },
    Step(6) { $0.leave($1) },
    Step(10) { history, _ in history.changeWeather() },
    Step(6) { history, _ in history.killCourier() },
    Step(6) { history, _ in history.crash() },
    Step(4) { history, _ in history.world.whenSomethingLeft = { [unowned history] in history.crash() } },
    Step(2) { history, _ in history.setClock() },
    Step(6) { history, _ in history.spoilDisk() },
    Step(4) { $0.rotate($1) },
    Step(2) { $0.remove($1) },
    Step(2) { $0.erase($1) },
    Step(4) { $0.pair($1) },
  ]
}
