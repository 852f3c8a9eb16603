/// What each notification was about, of the last ones.
struct History {
  private var entries: [UInt32: (Board.Subject, [Popup.Press])] = [:]
  private var order: [UInt32] = []

  private static let most = 256

  subscript(number: UInt32) -> (Board.Subject, [Popup.Press])? { entries[number] }

  mutating func remember(_ number: UInt32, _ subject: Board.Subject, _ presses: [Popup.Press]) {
    if entries.updateValue((subject, presses), forKey: number) == nil { order.append(number) }
    if order.count > Self.most { entries[order.removeFirst()] = nil }
  }
}
