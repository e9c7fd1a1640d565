fn a() {
    two();
}

fn b() {
    one();
}
