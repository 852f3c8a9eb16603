extension Terminal {
  /// Shows what a field says.
  func show(_ notices: [Notice]) {
    for notice in notices {
      switch notice {
      case .text(let text): show([text])
      case .address(let address): show(["  \(address)"])
      }
    }
  }
}
