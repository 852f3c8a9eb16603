internal import ControlClient
internal import QRCode

extension Terminal {
  /// What comes below an address: what can be typed, and that it is waited for.
  private static let rowsBelow = 3

  func show(_ notices: [Notice]) {
    for notice in notices {
      switch notice {
      case .text(let text): show([text])
      case .row(let row): showRows([row])
      case .address(let address): show(address: address, orElse: "the address holds the same")
      }
    }
  }

  /// Shows an address, for a camera too if the terminal can and all that belongs to it stays on the screen.
  func show(address: String, orElse other: SafeText) {
    show(["  \(address)"])
    guard isUnicode, movesCursor, let code = QRCode(address) else { return }
    let size = size
    // What no size is known of is shown nothing that could be broken.
    guard size.columns > 0, size.rows > 0 else { return }
    let taken = rowsOfPage + Self.rowsBelow
    if let drawn = QRText(code, columns: size.columns, rows: size.rows - taken) { return show(drawn.lines) }
    let room = QRText.room(for: code)
    let wanted: SafeText =
      "\(max(room.columns, size.columns)) columns and \(max(room.rows + taken, size.rows)) rows"
    show(["  (its QR code is drawn on a terminal of \(wanted); \(other))"])
  }
}
