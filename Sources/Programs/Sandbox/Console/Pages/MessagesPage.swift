extension ConsoleSection {
  /// The mails that users were sent.
  static let messages = ConsoleSection(
    title: "Messages",
    path: "\(base)/messages",
    routes: [.page("\(base)/messages") { showMessages($0) }]
  )

  private static let most = 100

  private static func showMessages(_ visit: Visit) -> ConsolePage {
    let tenant = visit.tenant
    let messages = tenant.messages.all.suffix(most).reversed().map { message -> [HTML] in
      [
        HTML(message.user.flatMap { tenant.users[$0]?.username } ?? ""), HTML(message.recipient ?? ""),
        .code(message.kind.rawValue), message.code.map { .code($0) } ?? "",
      ]
    }
    return ConsolePage(
      "Messages",
      .element("p", "Nothing is sent: what mails would say stands here."),
      .table(["User", "To", "Kind", "Code"], messages, none: "There is no message.")
    )
  }
}
