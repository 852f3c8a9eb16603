import EventLoop
import HTTPServer
import JSON

extension ConsoleSection {
  /// What users are asked, and how they have answered; it looks again by itself.
  static let signOns = ConsoleSection(title: "Sign-ons", path: "\(base)/sign-ons", routes: SignOnsPage.routes)
}

@EventLoop
enum SignOnsPage {
  static let seconds = 3
  private static let most = 50

  static let routes: [Route<Endpoint>] = [.page("\(ConsoleSection.base)/sign-ons", list)] + SignOnPage.routes

  private static func list(_ visit: Visit) -> ConsolePage {
    let (tenant, path) = (visit.tenant, ConsoleSection.signOns.path)
    let isStill = visit.call.query("still") != nil
    let rows = tenant.authentications.all.suffix(most).reversed().map { started -> [HTML] in
      let current = tenant.current(started.id) ?? started
      let number = tenant.numberMatching(of: current)?["number"]?.int
      return [
        .link("\(path)/\(started.id.text)", tenant.users[started.user]?.username ?? "nobody"),
        .time(started.createdAt), SignOnPage.status(current),
        number.map { .element("strong", "\($0)") } ?? "",
      ]
    }
    let sessions = tenant.families.all.suffix(most).reversed().map { family -> [HTML] in
      [HTML(tenant.users[family.session.user]?.username ?? "nobody"), .time(family.session.signedOnAt)]
    }
    return ConsolePage(
      "Sign-ons",
      refresh: isStill ? nil : seconds,
      .element(
        "p",
        isStill
          ? .link(path, "Look again by itself") : .link("\(path)?still", "Keep still"),
        " · ",
        .link("\(path)/new", "Ask for a sign-on")
      ),
      .table(["User", "Begun", "State", "Number"], rows, none: "Nobody was asked yet."),
      .section(
        "Signed on",
        .table(["User", "Since"], sessions, none: "Nobody has tokens of a sign-on.")
      )
    )
  }
}
