autocmd BufRead,BufNewFile *.hasm setfiletype heddle
