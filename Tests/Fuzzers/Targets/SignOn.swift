import ControlAPI
import CourierProtocol
import EventLoop
import Glibc
import JSON
import OpenIDConnect
import Time
import UserDevices
import WebAddress

@testable import PingAM
@testable import SelfService
@testable import SignOn

extension FuzzTarget {
  private static let now = Timestamp(seconds: 1_800_000_000)
  private static let issuer = "https://auth.example/as"
  private static let origin = WebURL(issuer)?.origin
  /// A key that a signing callback may ask for.
  private static let key = BoundKey(
    id: "key",
    owner: 1000,
    server: "https://am.example/am/json/realms/root",
    user: "id=bob,ou=user,dc=am,dc=example",
    userName: "bob",
    createdAt: now
  )

  /// Responses of sign-on servers.
  static let signOn = [
    FuzzTarget("davinci", maximumLength: 128 * 1024) { bytes in
      guard let origin else { return require(false, "an issuer has an origin") }
      let document = try response(bytes).document
      // Each status has its own parser.
      for status in [200, 400] {
        switch try? DaVinciResponse(status: status, document, origin: origin) {
        case .page(let page): fill(page)
        case .wrong(let problem): _ = problem.message
        case .again, .done, nil: break
        }
      }
    },
    FuzzTarget("journey", maximumLength: 128 * 1024) { bytes in
      for status in [200, 401] {
        guard case .step(let document)? = try? JourneyResponse(response(bytes, status)) else { continue }
        fill(try JourneyStep(document, JourneyContext(server: "am.example", keys: [key])))
      }
    },
    FuzzTarget("oidc-documents") { bytes in
      let response = response(bytes)
      _ = OAuthError(response)
      let document = try response.document
      _ = ProviderMetadata(document, issuer: issuer)
      if let tokens = Tokens(document, now: now) {
        require(Tokens(kept: tokens.json) == tokens, "tokens that are kept read as themselves")
      }
    },
    FuzzTarget("am-documents") { bytes in
      guard let realm = WebURL("https://am.example/am/json/realms/root") else {
        return require(false, "a realm has an address")
      }
      let session = SessionGrant(
        owner: 1000,
        realm: realm,
        field: CourierHeader("session", "token"),
        send: { request in
          let isUser = request.url.path.hasSuffix("/sessions")
          return isUser ? response(Array(#"{"username":"bob"}"#.utf8)) : response(bytes)
        },
        isOver: { false }
      )
      _ = try await AMUserDevices(session).list()
    },
    FuzzTarget(json: "pingone-documents") { document in
      _ = UserDevice(pingOne: document)
      _ = try NewDevice(document)
    },
  ]

  private static func response(_ bytes: [UInt8], _ status: Int = 200) -> CourierResponse {
    CourierResponse(status: status, headers: [], body: bytes)
  }

  /// Shows the page and fills it in with its own options, or with a word.
  private static func fill(_ page: DaVinciPage) {
    let shown = page.shown
    let values = JSONObject(
      Dictionary(page.inputFields.map { ($0.field.key, $0) }) { first, _ in first }
        .map { key, field in (key, answer(field.collector)) }
    )
    if let data = try? page.formData(values) {
      _ =
        DaVinciReply(event: .submit, actionKey: shown.actions.first?.key, formData: data)
        .body(to: page.target, interaction: "interaction").serialized
    }
    _ = try? page.partialFormData([:])
  }

  private static func fill(_ step: JourneyStep) {
    let page = step.page("en")
    let values = page.collectors.map { ($0.key, answer($0)) }
    require(Set(values.map(\.0)).count == values.count, "each field of a step has a key of its own")
    _ = try? step.reply(JSONObject(values))
    _ = try? step.reply([:])
  }

  private static func answer(_ collector: Collector?) -> JSON {
    if let option = collector?.options.first { return .string(option.value) }
    return collector?.value ?? "a word"
  }
}
