internal import ControlClient
internal import QRCode

extension Terminal {
  func show(_ notices: [Notice]) {
    for notice in notices {
      switch notice {
      case .text(let text): show([text])
      case .address(let address): show(address: address)
      }
    }
  }

  /// Shows an address, for a camera too if there is room and the terminal can.
  private func show(address: String) {
    show(["  \(address)"])
    guard isUnicode, movesCursor, let code = QRCode(address), QRText.width(of: code) <= columns else {
      return
    }
    show(QRText.lines(code))
  }
}
