"""llama.cpp's side of bench/peers, by llama-cpp-python: a prompt of a GGUF model, and a token after it."""

import llama_cpp
from side import Prepared, read_ids, refuse, serve


def prepare_model(work, texts, tokens, threads, folder):
    if work == "encode":
        refuse()
    llama = llama_cpp.Llama(f"{folder}/model.gguf", n_ctx=tokens + 64, n_batch=tokens, n_ubatch=tokens, n_threads=threads,
                            n_threads_batch=threads, verbose=False)
    ids = [int(n) for n in read_ids(texts, tokens, folder)[0]]

    def prompt():
        llama.reset()
        llama.eval(ids)

    def token():
        llama.n_tokens = tokens  # eval() forgets what comes after
        llama.eval(ids[:1])

    if work == "generate":
        prompt()
    return Prepared([token if work == "generate" else prompt], dict, "", llama)


serve(llama_cpp.__version__, refuse, prepare_model)
