/// The price as a customer reads it, such as `$12.34`.
func priceLabel(_ cents: Int) -> String {
    let sign = cents < 0 ? "-" : ""
    let amount = cents.magnitude
    let rest = amount % 100
    return "\(sign)$\(amount / 100).\(rest < 10 ? "0" : "")\(rest)"
}
