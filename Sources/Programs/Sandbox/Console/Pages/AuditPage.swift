import EventLoop
import HTTPServer

extension ConsoleSection {
  /// What has happened, and what users were sent.
  static let audit = ConsoleSection(title: "Audit", path: "\(base)/audit", routes: AuditPage.routes)
}

@EventLoop
enum AuditPage {
  private static let most = 100

  static let routes: [Route<Endpoint>] = [.page("\(ConsoleSection.base)/audit", show)]

  private static func show(_ visit: Visit) -> ConsolePage {
    let tenant = visit.tenant
    let activities = tenant.activities.all.suffix(most).reversed().map { activity -> [HTML] in
      [
        .time(activity.recordedAt), HTML(activity.username ?? ""), .code(activity.action.rawValue),
        HTML(activity.description),
      ]
    }
    let messages = tenant.messages.all.suffix(most).reversed().map { message -> [HTML] in
      [
        HTML(message.user.flatMap { tenant.users[$0]?.username } ?? ""), HTML(message.recipient ?? ""),
        .code(message.kind.rawValue), message.code.map { .code($0) } ?? "",
      ]
    }
    return ConsolePage(
      "Audit",
      .table(["Time", "User", "Action", "What"], activities, none: "Nothing has happened yet."),
      .section(
        "Messages",
        .element("p", "Nothing is sent: what mails and short messages would say stands here."),
        .table(["User", "To", "Kind", "Code"], messages, none: "There is no message.")
      )
    )
  }
}
