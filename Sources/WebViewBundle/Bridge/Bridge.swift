import PatchPlatform

/// Commands of the app itself, beside the standard ones.
public final class Bridge: Sendable {
    /// Does the work of a command. What it throws, the page hears.
    public typealias Handler = @Sendable (BridgeParameters) async throws -> JSONValue

    private let handlers = Lock<[String: Handler]>([:])

    /// A bridge without commands.
    public init() {}

    /// Adds a command, or replaces the one of its name; standard ones can be replaced too.
    public func handler(_ name: String, _ body: @escaping Handler) {
        handlers.withLock { $0[name] = body }
    }

    func find(_ name: String) -> Handler? { handlers.withLock { $0[name] } }
}

/// The parameters of one message.
public struct BridgeParameters: Sendable {
    /// All of them.
    public let value: JSONValue
    /// The page that sent the message.
    public let caller: BridgeCaller

    /// The text at `key`.
    /// - Throws: ``BridgeFailure`` `invalid_params`.
    public func string(_ key: String) throws -> String {
        guard let text = try optionalString(key) else {
            throw BridgeFailure.invalidParameters("The parameter '\(key)' is missing.")
        }
        return text
    }

    /// The text at `key`, nil when it is absent or null.
    /// - Throws: ``BridgeFailure`` `invalid_params` for another type.
    public func optionalString(_ key: String) throws -> String? {
        switch value[key] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default:
            throw BridgeFailure.invalidParameters("The parameter '\(key)' is no text.")
        }
    }
}

/// What a page gets for its message.
public enum BridgeReply: Sendable, Equatable {
    /// The result.
    case success(JSONValue)
    /// Why there is none.
    case failure(BridgeFailure)
    /// Nothing at all: the message came from a frame or origin that has no bridge.
    case dropped
}

/// Turns messages of pages into commands and their results into replies. Knows no web view.
public struct BridgeDispatcher: Sendable {
    /// The name of the message handler that pages post to.
    public static let handlerName = "wvbIos"

    let commands: [String: BridgeCommand]
    let own: Bridge?
    let policy: BridgePolicy
    let schemes: [String]

    /// Answers a message of the form `{name, params}`.
    public func dispatch(_ message: JSONValue, from caller: BridgeCaller) async -> BridgeReply {
        guard policy.allows(caller, schemes: schemes) else { return .dropped }
        guard let name = message["name"]?.string else {
            return .failure(.invalidParameters("A message is an object with a 'name'."))
        }
        let parameters = BridgeParameters(
            value: message["params"] ?? .object([:]), caller: caller)
        do {
            if let handler = own?.find(name) { return .success(try await handler(parameters)) }
            guard let command = commands[name] else {
                throw BridgeFailure.handlerNotFound(name)
            }
            guard policy.permissions.isSuperset(of: command.needs) else {
                throw BridgeFailure.notAllowed(name)
            }
            return .success(try await command.body(parameters))
        } catch {
            return .failure(BridgeFailure(error))
        }
    }

    /// Answers a message given as JSON text.
    public func dispatch(json: [UInt8], from caller: BridgeCaller) async -> BridgeReply {
        guard let message = JSONValue(json: json) else {
            return policy.allows(caller, schemes: schemes)
                ? .failure(.invalidParameters("The message is no JSON or too large.")) : .dropped
        }
        return await dispatch(message, from: caller)
    }
}

/// Replies as script, for pages that name callbacks and for events.
public enum BridgeScript {
    /// The script that calls the callback which a message names for its reply; nil when it names
    /// none, or something other than the name of a function.
    ///
    /// The callbacks are texts of the page that are evaluated, so only names are taken: otherwise
    /// any text that a page is made to pass on would be run.
    public static func callback(for message: JSONValue, _ reply: BridgeReply) -> String? {
        let key: String
        let value: JSONValue
        switch reply {
        case .dropped: return nil
        case .success(let result):
            key = "success"
            value = result
        case .failure(let failure):
            key = "error"
            value = json(failure)
        }
        guard let name = message[key]?.string, isFunctionName(name),
            let argument = try? value.javaScript()
        else { return nil }
        return "\(name)(\(argument))"
    }

    /// The script that dispatches an event, such as `wvb:progress`, on the window.
    public static func event(_ name: String, _ detail: JSONValue) -> String? {
        guard let title = try? JSONValue.string(name).javaScript(),
            let text = try? detail.javaScript()
        else { return nil }
        return "window.dispatchEvent(new CustomEvent(\(title), {detail: \(text)}))"
    }

    /// The object that a promise is rejected with.
    public static func json(_ failure: BridgeFailure) -> JSONValue {
        .object(["code": .string(failure.code), "message": .string(failure.message)])
    }

    /// `a`, `a.b` and `a["b"]`, in any row.
    static func isFunctionName(_ text: String) -> Bool {
        guard text.utf8.count <= 256 else { return false }
        var rest = text[...]
        guard takeIdentifier(&rest) else { return false }
        while let next = rest.first {
            if next == "." {
                rest.removeFirst()
                guard takeIdentifier(&rest) else { return false }
            } else {
                guard next == "[", let quote = rest.dropFirst().first, quote == "\"" || quote == "'"
                else { return false }
                rest = rest.dropFirst(2)
                let key = rest.prefix { isWord($0) || $0 == "-" }
                rest = rest.dropFirst(key.count)
                guard !key.isEmpty, rest.hasPrefix("\(quote)]") else { return false }
                rest = rest.dropFirst(2)
            }
        }
        return true
    }

    private static func takeIdentifier(_ rest: inout Substring) -> Bool {
        guard let first = rest.first, isWord(first), !("0"..."9").contains(first) else {
            return false
        }
        rest = rest.drop(while: isWord)
        return true
    }

    private static func isWord(_ character: Character) -> Bool {
        character == "_" || character == "$"
            || (character.isASCII && (character.isLetter || character.isNumber))
    }
}
