fn a() {
    one();
}

fn b() {
    one();
}
