internal import Bus
internal import EventLoop

/// Somebody who knows whether the session is locked, asked anew whenever it may have changed.
@EventLoop
final class LockWitness {
  /// Is called with each answer.
  var onAnswer: (@EventLoop () -> Void)?
  /// The bus on which it is to be found; without it, it stands by what it said.
  var bus: Bus?
  /// What it said last, `nil` before there is anything; who was never there says no.
  private(set) var answer: Bool?

  private let question: BusCall
  private var isAsking = false
  private var asksAgain = false

  private static let patience = Duration.seconds(5)
  /// Between two questions, of which anybody's signals would make any number.
  private static let pause = Duration.milliseconds(100)
  /// What the bus answers for a program that has gone with a question.
  private static let noReply = "org.freedesktop.DBus.Error.NoReply"

  init(_ question: BusCall, on bus: Bus? = nil) { (self.question, self.bus) = (question, bus) }

  /// One question at a time; what changes meanwhile is asked after it.
  func ask() {
    asksAgain = true
    guard !isAsking else { return }
    isAsking = true
    EventLoop.task { [self] in
      while asksAgain {
        asksAgain = false
        answer = await reply()
        onAnswer?()
        try? await EventLoop.sleep(for: Self.pause)
      }
      isAsking = false
    }
  }

  private func reply() async -> Bool? {
    guard let bus else { return answer ?? false }
    do throws(BusError) {
      let value = try await bus.call(question, within: Self.patience).values.first
      return (value?.content ?? value)?.bool ?? false
    } catch {
      switch error {
      case .refused(let name) where name != Self.noReply: return false
      case .disconnected: return answer
      // Who is there and says nothing counts as yes.
      case .timedOut:
        askLater()
        return true
      case .refused, .failed, .malformed:
        askLater()
        return answer ?? true
      }
    }
  }

  private func askLater() { EventLoop.after(Self.patience) { [weak self] in self?.ask() } }
}
