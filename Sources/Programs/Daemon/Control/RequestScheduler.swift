internal import EventLoop
internal import Glibc
internal import Time

/// Decides whose request is carried out next: owners take turns, and so do the connections of each.
///
/// A turn of the loop carries requests out for a short while only. Then their replies leave, and whoever has come
/// meanwhile is among those who take turns.
@EventLoop
final class RequestScheduler {
  /// Carries out the next request of a connection; `false` if there is none for now.
  typealias Next = @EventLoop () -> Bool

  private struct Entry {
    let connection: AnyObject
    let owner: uid_t
    let next: Next
  }

  private let time: TimeSource
  /// The owners who wait, and the connections of each, those first whose turn is next.
  private var owners: [uid_t] = []
  private var waiting: [uid_t: [Entry]] = [:]
  private var willServe = false

  init(time: TimeSource) { self.time = time }

  /// Has a connection carry out requests when it is its turn, as long as there are any; harmless when repeated.
  func add(_ connection: AnyObject, of owner: uid_t, _ next: @escaping Next) {
    add(Entry(connection: connection, owner: owner, next: next))
    guard !willServe else { return }
    willServe = true
    EventLoop.after(.zero) { self.serve() }
  }

  private func add(_ entry: Entry) {
    let others = waiting[entry.owner] ?? []
    guard !others.contains(where: { $0.connection === entry.connection }) else { return }
    if others.isEmpty { owners.append(entry.owner) }
    waiting[entry.owner] = others + [entry]
  }

  private func serve() {
    let end = time.uptime() + EventLoop.longestRun
    repeat {
      guard let entry = takeFirst() else {
        willServe = false
        return
      }
      if entry.next() { add(entry) }
      // What a request does before it waits is part of its owner's turn.
    } while EventLoop.runTasks() && time.uptime() < end
    // What else the loop has to do comes first.
    EventLoop.after(.zero) { self.serve() }
  }

  private func takeFirst() -> Entry? {
    guard let owner = owners.first else { return nil }
    owners.removeFirst()
    guard var entries = waiting.removeValue(forKey: owner) else { return nil }
    let entry = entries.removeFirst()
    if !entries.isEmpty {
      waiting[owner] = entries
      owners.append(owner)
    }
    return entry
  }
}
