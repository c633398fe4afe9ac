use cuebench_engine::frame::*;
fn main() {
    let t = std::time::Instant::now();
    let mut d = match Definition::shipped() { Ok(d) => d, Err(e) => { println!("{e}"); return } };
    println!("parse {:?}", t.elapsed());
    for (sk, a, b) in [("2,2","threshold","threshold"),("2","threshold","always_attack"),("3,1","threshold","threshold"),("2","optimal","optimal"),("2","optimal","threshold"),("2","always_attack","always_attack"),("2","always_attack","threshold")] {
        d.set("skill", sk).unwrap();
        let t = std::time::Instant::now();
        let g = match Game::compile(&d) { Ok(d) => d, Err(e) => { println!("{e}"); return } };
        let tc = t.elapsed();
        let opt = g.optimal().unwrap();
        let to = t.elapsed();
        let pol = |n: &str, s: usize| if n == "optimal" { opt[s].clone() } else { g.policy(n, &[], s).unwrap() };
        let (p, q) = (pol(a,0), pol(b,1));
        let t = std::time::Instant::now();
        let e = g.solve([&p, &q]).unwrap();
        println!("{a} {b} {sk}: {} compile {tc:?} opt {:?} solve {:?}\n {:.12} {:.10} {:.10} {:?}", g.states(), to-tc, t.elapsed(), e.p0_win, e.mean_shots, e.mean_innings-1.0, e);
    }
}
